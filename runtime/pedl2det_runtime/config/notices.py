"""Report the keys of an experiment config that have no effect."""

from __future__ import annotations

import difflib
from typing import Any

from pedl2det_runtime.config.experiment_config import ExperimentConfig, Optimizations
from pedl2det_runtime.config.hparams import is_searched

_CLUSTER = {
    *("bind_mounts", "data_layer", "debug", "environment", "integrations", "internal"),
    *("log_policies", "log_retention_days", "pbs", "preemption_timeout"),
    *("profiling", "retention_policy", "security", "slurm", "tensorboard_storage"),
}
_DESCRIPTIVE = {"labels", "notes", "project", "workspace", "template"}
#: Top-level keys that a run does not use, and does not call unknown.
WITHOUT_EFFECT = _CLUSTER | _DESCRIPTIVE


def notices(config: ExperimentConfig, hparams: dict[str, Any], slots: int = 1) -> list[str]:
    """Return one line for each kind of setting that has no effect.

    Values of unused keys are not shown, because they may be credentials.

    Args:
        config: the experiment config.
        hparams: the values of the hyperparameters in this run.
        slots: number of processes.
    """
    lines = []
    searched = [name for name, spec in config.hyperparameters.items() if is_searched(spec)]
    if searched:
        drawn = ", ".join(f"{name}={hparams[name]!r}" for name in searched)
        lines.append(f"searcher {config.searcher.name}: one trial of it is trained, with {drawn}")
    if {"batch_size", "global_batch_size"} <= hparams.keys():
        lines.append(
            "hyperparameters.batch_size has no effect: global_batch_size is set too and is the "
            "batch size"
        )
    if unused := _unused(config, slots):
        lines.append(f"no effect without a cluster: {', '.join(unused)}")
    if unknown := sorted(_extra(config) - WITHOUT_EFFECT):
        lines.append(f"unknown config keys, not used: {', '.join(map(_with_suggestion, unknown))}")
    return lines


def _unused(config: ExperimentConfig, slots: int) -> list[str]:
    unused = sorted(_extra(config) & _CLUSTER)
    unused += [f"resources.{name}" for name in sorted(config.resources.model_extra or {})]
    if config.resources.slots_per_trial > 1 and slots == 1:
        unused.append("resources.slots_per_trial (one process trains with the whole batch)")
    if config.checkpoint_storage and config.checkpoint_storage.type and config.is_legacy:
        unused.append("checkpoint_storage.type (checkpoints are in the results)")
    if slots > 1:
        return unused
    if "max_restarts" in config.model_fields_set:
        unused.append("max_restarts (one process is not restarted)")
    default = Optimizations().model_dump()
    changed = config.optimizations.model_dump(exclude_unset=True)
    unused += [f"optimizations.{name}" for name in changed if changed[name] != default.get(name)]
    return unused


def _extra(config: ExperimentConfig) -> set[str]:
    return set(config.model_extra or {})


def _with_suggestion(name: str) -> str:
    known = [*ExperimentConfig.model_fields, *_CLUSTER]
    likely = difflib.get_close_matches(name, known, 1, cutoff=0.8)
    return f"{name} (did you mean {likely[0]}?)" if likely else name
