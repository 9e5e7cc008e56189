"""The rules, one file each, in the order in which they plan.

A rule that answers for a larger piece of code comes before one that would rewrite a part of it.
"""

from __future__ import annotations

from pedl2det.rules import (
    config_batch_size,
    config_entrypoint,
    config_floats,
    config_int_bounds,
    config_lengths,
    data_adapter,
    data_loaders,
    hparams,
    imports,
    in_memory_sequence,
    keras_callbacks,
    legacy_optimizers,
    notebook_files,
    notebook_trial,
    old_pins,
    renamed,
    requirements,
    run_getters,
    sequence_order,
    shell_lines,
    surroundings,
    tf1_names,
    trial_class,
    wrap_model,
)
from pedl2det.rules.file_rule import FileRule
from pedl2det.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    surroundings.RULE,
    trial_class.RULE,
    sequence_order.RULE,
    in_memory_sequence.RULE,
    data_adapter.RULE,
    data_loaders.RULE,
    keras_callbacks.RULE,
    hparams.RULE,
    run_getters.RULE,
    wrap_model.RULE,
    legacy_optimizers.RULE,
    tf1_names.RULE,
    renamed.RULE,
    imports.RULE,
    config_lengths.RULE,
    config_int_bounds.RULE,
    config_floats.RULE,
    config_batch_size.RULE,  # after the rules that look below the key that it renames
    config_entrypoint.RULE,
    notebook_trial.RULE,
)

#: Rules about files that follow from their own text, whatever becomes of the trials.
FILE_RULES: tuple[FileRule, ...] = (
    shell_lines.RULE,
    notebook_files.RULE,
    requirements.RULE,
    old_pins.RULE,
)

#: How the names of files end that those rules are about.
FILE_ENDS = (".ipynb", ".sh", ".txt", ".in", ".toml", ".cfg", ".yaml", ".yml", "setup.py")

__all__ = ["FILE_ENDS", "FILE_RULES", "RULES", "FileRule", "Rule"]
