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
    config_script,
    data_adapter,
    data_loaders,
    hparams,
    imports,
    in_memory_sequence,
    keras_callbacks,
    legacy_optimizers,
    renamed,
    run_getters,
    script,
    sequence_order,
    surroundings,
    tf1_names,
    trial_class,
    wrap_model,
)
from pedl2det.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    surroundings.RULE,
    script.RULE,
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
    config_script.RULE,
)

#: Rules that look at a trial's class, which a script has not.
OF_TRIAL_CLASSES: tuple[Rule, ...] = (
    trial_class.RULE,
    sequence_order.RULE,
    data_loaders.RULE,
    keras_callbacks.RULE,
    hparams.RULE,
    wrap_model.RULE,
    config_entrypoint.RULE,
)

__all__ = ["OF_TRIAL_CLASSES", "RULES", "Rule"]
