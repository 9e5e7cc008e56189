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
    config_metric,
    config_script,
    data_adapter,
    data_loaders,
    download_data,
    early_trial,
    frozen_layers,
    hparams,
    import_time,
    imports,
    in_memory_sequence,
    keras_callbacks,
    keras_compile,
    keras_optimizer,
    keras_trial,
    legacy_optimizers,
    metric_types,
    notebook_files,
    notebook_trial,
    old_defaults,
    old_pins,
    record_loaders,
    relative_imports,
    renamed,
    requirements,
    run_getters,
    script,
    sequence_order,
    shell_lines,
    standalone_keras,
    standalone_meanings,
    surroundings,
    tf1_names,
    trial_class,
    wrap_dataset,
    wrap_model,
)
from pedl2det.rules.file_rule import FileRule
from pedl2det.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    surroundings.RULE,
    script.RULE,
    trial_class.RULE,
    keras_trial.RULE,
    keras_compile.RULE,
    keras_optimizer.RULE,
    sequence_order.RULE,
    in_memory_sequence.RULE,
    record_loaders.RULE,
    metric_types.RULE,
    data_adapter.RULE,
    data_loaders.RULE,
    download_data.RULE,
    wrap_dataset.RULE,
    keras_callbacks.RULE,
    hparams.RULE,
    import_time.RULE,
    run_getters.RULE,
    early_trial.RULE,
    wrap_model.RULE,
    standalone_meanings.RULE,
    old_defaults.RULE,
    legacy_optimizers.RULE,
    standalone_keras.RULE,
    frozen_layers.RULE,
    tf1_names.RULE,
    relative_imports.RULE,
    renamed.RULE,
    imports.RULE,
    config_lengths.RULE,
    config_int_bounds.RULE,
    config_floats.RULE,
    config_batch_size.RULE,  # after the rules that look below the key that it renames
    config_entrypoint.RULE,
    config_metric.RULE,
    config_script.RULE,
    notebook_trial.RULE,
)

#: Rules about files that follow from their own text, whatever becomes of the trials.
FILE_RULES: tuple[FileRule, ...] = (
    shell_lines.RULE,
    notebook_files.RULE,
    requirements.RULE,
    old_pins.RULE,
)

__all__ = ["FILE_RULES", "RULES", "FileRule", "Rule"]
