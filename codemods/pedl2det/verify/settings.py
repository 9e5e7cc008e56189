"""The settings that an experiment config resolves to, and in what two configs differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pedl2det.analysis.metric_names import MetricNames, is_renamed
from pedl2det.analysis.text_rules import GONE_SEARCHERS


@dataclass(frozen=True)
class Settings:
    """What a config asks for; lengths and periods are in batches."""

    length: int
    validation_period: int  # 0 if there is a validation only at the end
    values: dict[str, str]  # everything but the length, in words, by its key in the config


def settings_of(config: Path) -> Settings | None:
    """Read a config; return None if it is no valid one, which the run reports."""
    from pedl2det_runtime.config.hparams import sample_hparams
    from pedl2det_runtime.config.reader import read_config
    from pedl2det_runtime.errors import Pedl2DetError

    try:
        read = read_config(config, ())
        hparams = sample_hparams(read)
        size = hparams.get("global_batch_size", hparams.get("batch_size"))
        size = size if isinstance(size, int) and size > 0 else 1
        storage, validation = (
            read.checkpoint_storage,
            read.batches(read.min_validation_period, size),
        )
        kept = storage and f"save_trial_best {storage.best} and save_trial_latest " + str(
            storage.save_trial_latest
        )
        values = {
            "searcher.name": read.searcher.name,
            "searcher.metric": read.searcher.metric,
            "searcher.smaller_is_better": str(read.searcher.smaller_is_better).lower(),
            "min_validation_period": _period(validation),
            "min_checkpoint_period": _period(read.batches(read.min_checkpoint_period, size)),
            "checkpoint_storage": kept or "all checkpoints",
        }
        return Settings(read.training_batches(size), validation, values)
    except (Pedl2DetError, ValueError, OSError):
        return None


def branch_of(config: Path) -> object:
    """Return what of a config may choose a branch of the code: names, texts and switches.

    Numbers that a trial computes with are left out. None for a config that is not valid.
    """
    from pedl2det_runtime.config.hparams import sample_hparams
    from pedl2det_runtime.config.reader import read_config
    from pedl2det_runtime.errors import Pedl2DetError

    try:
        read = read_config(config, ())
        values = {"hyperparameters": sample_hparams(read), "data": read.data}
        return str(read.entrypoint), _without_numbers(values)
    except (Pedl2DetError, ValueError, OSError):
        return None


def _without_numbers(value: object) -> object:
    if isinstance(value, Mapping):
        return tuple((str(key), _without_numbers(value[key])) for key in sorted(value, key=str))
    if isinstance(value, list | tuple):
        return tuple(map(_without_numbers, value))
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return type(value).__name__ if is_number else str(value)


def _period(batches: int) -> str:
    return f"{batches:,} batches" if batches else "the whole training"


def differing_settings(
    old: Settings, new: Settings, metric_names: MetricNames | None
) -> dict[str, str]:
    """Return in what two configs differ, except for the length: a sentence by each key.

    A searcher or a metric that only has another name today does not differ.

    Args:
        old: the settings of the old config.
        new: those of the new one.
        metric_names: the new names of the old trial's metrics; None if they are the same.
    """
    differing = {}
    for key, before in old.values.items():
        after = new.values[key]
        is_same = before == after
        if key == "searcher.name":
            is_same |= GONE_SEARCHERS.get(before, before) == after
        elif key == "searcher.metric":
            is_same |= is_renamed(before, after)
            if metric_names is not None:
                is_same |= metric_names.new("validation", before) == after
        if not is_same:
            differing[key] = f"{key} is {before} in the old config, {after} in the new one"
    return differing
