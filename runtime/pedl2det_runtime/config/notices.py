"""What of an experiment config has no effect here: accepted, and named in one notice."""

from __future__ import annotations

import difflib
from typing import Any

from pedl2det_runtime.config.hparams import is_searched
from pedl2det_runtime.config.model import ExperimentConfig, Optimizations

_CLUSTER = {
    *("bind_mounts", "data_layer", "debug", "environment", "integrations", "internal"),
    *("log_policies", "log_retention_days", "pbs", "preemption_timeout"),
    *("profiling", "retention_policy", "security", "slurm", "tensorboard_storage"),
}
_DESCRIPTIVE = {"labels", "notes", "project", "workspace", "template"}


def notices(config: ExperimentConfig, hparams: dict[str, Any], slots: int = 1) -> list[str]:
    """One line for each thing that a user may expect of the config and will not get.

    Only names of keys are told: a value may be a secret.

    Args:
        config: the experiment config.
        hparams: the hyperparameters that were drawn from it.
        slots: the processes that train.
    """
    lines = []
    searched = [name for name, spec in config.hyperparameters.items() if is_searched(spec)]
    if searched:
        drawn = ", ".join(f"{name}={hparams[name]!r}" for name in searched)
        lines.append(f"searcher {config.searcher.name}: one trial of it is trained, with {drawn}")
    if {"batch_size", "global_batch_size"} <= hparams.keys():
        lines.append(
            "hyperparameters.batch_size has no effect beside global_batch_size, which says how "
            "many records a batch has"
        )
    if unused := _unused(config, slots):
        lines.append(f"no effect without a cluster: {', '.join(unused)}")
    if unknown := sorted(_extra(config) - _CLUSTER - _DESCRIPTIVE):
        lines.append(f"unknown config keys, not used: {', '.join(map(_with_likely, unknown))}")
    return lines


def _unused(config: ExperimentConfig, slots: int) -> list[str]:
    found = sorted(_extra(config) & _CLUSTER)
    found += [f"resources.{name}" for name in sorted(config.resources.model_extra or {})]
    if config.resources.slots_per_trial > 1 and slots == 1:
        found.append("resources.slots_per_trial (one process trains with the whole batch)")
    if config.checkpoint_storage and config.checkpoint_storage.type and config.is_legacy:
        found.append("checkpoint_storage.type (checkpoints are in the results)")
    if slots > 1:
        return found
    if "max_restarts" in config.model_fields_set:
        found.append("max_restarts (one process is not restarted)")
    default = Optimizations().model_dump()
    given = config.optimizations.model_dump(exclude_unset=True)
    found += [f"optimizations.{name}" for name in given if given[name] != default.get(name)]
    return found


def _extra(config: ExperimentConfig) -> set[str]:
    return set(config.model_extra or {})


def _with_likely(name: str) -> str:
    known = [*ExperimentConfig.model_fields, *_CLUSTER]
    likely = difflib.get_close_matches(name, known, 1, cutoff=0.8)
    return f"{name} (did you mean {likely[0]}?)" if likely else name
