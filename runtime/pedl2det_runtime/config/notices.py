"""Report what a run does with a search, and the keys of a config that have no effect."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from typing import Any

from pedl2det_runtime.config import cluster_environment
from pedl2det_runtime.config.cluster_environment import assignments
from pedl2det_runtime.config.experiment_config import ExperimentConfig, Optimizations
from pedl2det_runtime.config.hparams import grid_size, searched
from pedl2det_runtime.config.keys import EFFECTS, STORAGE, Effect, with_effect
from pedl2det_runtime.config.unknown_keys import nearest, unknown_keys
from pedl2det_runtime.errors import ConfigError


def refuse_unsupported(config: ExperimentConfig) -> None:
    """Refuse keys that a run would have to ignore although they change the training.

    Raises:
        ConfigError: the config begins with a checkpoint that only a cluster can find.
    """
    for name in with_effect("searcher", Effect.REFUSED):
        if getattr(config.searcher, name) is not None:
            raise ConfigError(
                f"{config.location('searcher', name)}: only a cluster knows trials by ID: name the "
                "checkpoint with --from-checkpoint, or train from the start; both with "
                f"--set searcher.{name}=null"
            )


def notices(config: ExperimentConfig, hparams: dict[str, Any], slots: int = 1) -> list[str]:
    """Return one line for each kind of setting that has no effect.

    Values of unused keys are not shown, because they may be credentials.
    """
    lines = [*_search(config, hparams), *_added(config)]
    if {"batch_size", "global_batch_size"} <= hparams.keys():
        lines.append(
            "hyperparameters.batch_size has no effect: global_batch_size is set too and is the "
            "batch size"
        )
    if variables := assignments(config.raw):
        lines.append(f"environment variables set by the config: {', '.join(variables)}")
    lines += cluster_environment.notices(config.raw, config.places)
    if unused := _unused(config, slots):
        lines.append(f"no effect without a cluster: {', '.join(unused)}")
    if unused := [*_without_effect(config)]:
        lines.append(f"no effect in this config: {', '.join(unused)}")
    unknown = [
        config.location(*key.keys) + (f" (did you mean {key.meant}?)" if key.meant else "")
        for key in unknown_keys(config.raw)
    ]
    if unknown:
        lines.append(f"unknown config keys, not used: {', '.join(unknown)}")
    return lines


def _search(config: ExperimentConfig, hparams: dict[str, Any]) -> Iterator[str]:
    """Yield the line about a search: which of its trials is trained, and how to choose another."""
    paths, name = [*searched(config)], config.searcher.name
    if not paths and name == "single":
        return
    trial = f"one of the {grid_size(config)} points" if name == "grid" else "one trial"
    line = f"searcher {name}: `run` trains {trial}"
    if name != "single":
        line += ", not the whole search (`pedl2det search`)"
    if paths:
        values = (functools.reduce(operator.getitem, path, hparams) for path in paths)
        drawn = (f"{'.'.join(path)}={value!r}" for path, value in zip(paths, values, strict=True))
        line += (
            f": {', '.join(drawn)} (by reproducibility.experiment_seed); choose others with --set "
            f"hyperparameters.{'.'.join(paths[0])}=VALUE"
        )
    yield line


def _added(config: ExperimentConfig) -> Iterator[str]:
    """Yield a line for each hyperparameter that only ``--set`` has."""
    for *parents, name in config.source.added:
        group = _inner(config.raw, parents)
        if parents[:1] != ["hyperparameters"] or "type" in group:
            continue  # a key of another section, or of a specification
        meant = nearest(name, [other for other in group if other != name])
        hint = f" (did you mean {meant}?)" if meant else ""
        place = config.location(*parents, name)
        yield f"{place}: the config has no such hyperparameter{hint}; it is added"


def _inner(value: Any, path: Sequence[str | int]) -> dict[str, Any]:
    """Return the mapping at a path; empty if a later ``--set`` has replaced it."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _unused(config: ExperimentConfig, slots: int) -> list[str]:
    """Return the keys that only a cluster uses, or only several processes."""
    extra = config.model_extra or {}
    unused = sorted(
        name for name in extra if _is_of_cluster(name) and not _is_served(name, extra[name])
    )
    unused += sorted(_of_cluster(config, "resources"))
    if config.resources.slots_per_trial > 1 and slots == 1:
        unused.append("resources.slots_per_trial (one process trains with the whole batch)")
    unused += _of_cluster(config, "checkpoint_storage")
    if config.checkpoint_storage and config.checkpoint_storage.type and config.is_legacy:
        unused.append("checkpoint_storage.type (checkpoints are in the results)")
    if slots > 1:
        return unused + _of_cluster(config, "optimizations")
    if "max_restarts" in config.model_fields_set:
        unused.append("max_restarts (one process is not restarted)")
    default = Optimizations().model_dump()
    changed = config.optimizations.model_dump(exclude_unset=True)
    unused += [
        f"optimizations.{name}"
        for name in changed
        if f"optimizations.{name}" in EFFECTS and changed[name] != default.get(name)
    ]
    return unused


def _of_cluster(config: ExperimentConfig, section: str) -> list[str]:
    extra = getattr(getattr(config, section), "model_extra", None) or {}
    return [f"{section}.{name}" for name in extra if _is_of_cluster(f"{section}.{name}")]


def _is_served(section: str, value: Any) -> bool:
    """Return whether a section has only keys that a run uses."""
    keys = value if isinstance(value, dict) else ()
    return bool(keys) and all(EFFECTS.get(f"{section}.{key}") is Effect.SERVED for key in keys)


def _is_of_cluster(path: str) -> bool:
    return EFFECTS.get(path) is Effect.CLUSTER


def _without_effect(config: ExperimentConfig) -> Iterator[str]:
    """Yield the keys that other keys of the config override, or make meaningless."""
    searcher, storage = config.searcher, config.checkpoint_storage
    for name in ("max_length", "max_steps", "target_trial_steps"):
        length = getattr(searcher, name)
        if length is not None and length is not searcher.length:
            yield f"searcher.{name} (the trial has another length)"
    for name in with_effect("searcher", Effect.SEARCH):
        if name in (searcher.model_extra or {}):
            yield f"searcher.{name} (of a whole search)"
    if storage and storage.type in STORAGE and not config.is_legacy:
        others = {name for names in STORAGE.values() for name in names} - {*STORAGE[storage.type]}
        for name in storage.model_extra or {}:
            if name in others:
                yield f"checkpoint_storage.{name} (of another type than {storage.type})"
