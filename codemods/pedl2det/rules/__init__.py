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
    data_adapter,
    data_loaders,
    hparams,
    imports,
    in_memory_sequence,
    keras_callbacks,
    keras_compile,
    keras_optimizer,
    keras_trial,
    legacy_optimizers,
    metric_types,
    old_defaults,
    record_loaders,
    renamed,
    run_getters,
    sequence_order,
    standalone_keras,
    standalone_meanings,
    surroundings,
    tf1_names,
    trial_class,
    wrap_model,
)
from pedl2det.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    surroundings.RULE,
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
    keras_callbacks.RULE,
    hparams.RULE,
    run_getters.RULE,
    wrap_model.RULE,
    standalone_meanings.RULE,
    old_defaults.RULE,
    legacy_optimizers.RULE,
    standalone_keras.RULE,
    tf1_names.RULE,
    renamed.RULE,
    imports.RULE,
    config_lengths.RULE,
    config_int_bounds.RULE,
    config_floats.RULE,
    config_batch_size.RULE,  # after the rules that look below the key that it renames
    config_entrypoint.RULE,
    config_metric.RULE,
)

__all__ = ["RULES", "Rule"]
