"""The settings that an experiment config resolves to, and in what two configs differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pedl2det.analysis.experiment.keys import GONE_SEARCHERS
from pedl2det.analysis.metric_names import MetricNames, is_renamed


@dataclass(frozen=True)
class Settings:
    """What a config asks for; lengths and periods are in batches.

    Attributes:
        length: the length of the training.
        validation_period: batches between two validations; 0 if there is one only at the end.
        checkpoint_period: batches between two checkpoints; 0 likewise.
        searcher: the name of the searcher.
        metric: the metric that decides which validation is best.
        smaller_is_better: whether it is the one with the smallest value.
        retention: how many checkpoints are kept: of the best validations, and the latest; None if
            all are.
    """

    length: int
    validation_period: int
    checkpoint_period: int
    searcher: str
    metric: str
    smaller_is_better: bool
    retention: tuple[int, int] | None


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
        storage = read.checkpoint_storage
        return Settings(
            length=read.training_batches(size),
            validation_period=read.batches(read.min_validation_period, size),
            checkpoint_period=read.batches(read.min_checkpoint_period, size),
            searcher=read.searcher.name,
            metric=read.searcher.metric,
            smaller_is_better=read.searcher.smaller_is_better,
            retention=(storage.best, storage.save_trial_latest) if storage else None,
        )
    except (Pedl2DetError, ValueError, OSError):
        return None


@dataclass(frozen=True)
class DifferentSetting:
    """Something in which two configs differ.

    Attributes:
        key: its key in the configs.
        old: its value in the old config, in words.
        new: its value in the new one.
    """

    key: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.key} is {self.old} in the old config, {self.new} in the new one"


def differing_settings(
    old: Settings, new: Settings, metric_names: MetricNames | None
) -> Iterator[DifferentSetting]:
    """Return in what two configs differ, except for the length of the training.

    A searcher or a metric that only has another name today does not differ.

    Args:
        old: the settings of the old config.
        new: those of the new one.
        metric_names: the new names of the old trial's metrics; None if they are the same.
    """
    renamed = GONE_SEARCHERS.get(old.searcher, ("", old.searcher))[1]
    if new.searcher not in (old.searcher, renamed):
        yield DifferentSetting("searcher.name", old.searcher, new.searcher)
    if not _is_same_metric(old.metric, new.metric, metric_names):
        yield DifferentSetting("searcher.metric", old.metric, new.metric)
    if old.smaller_is_better != new.smaller_is_better:
        values = [str(one.smaller_is_better).lower() for one in (old, new)]
        yield DifferentSetting("searcher.smaller_is_better", *values)
    for key, before, after in (
        ("min_validation_period", old.validation_period, new.validation_period),
        ("min_checkpoint_period", old.checkpoint_period, new.checkpoint_period),
    ):
        if before != after:
            yield DifferentSetting(key, _period(before), _period(after))
    if old.retention != new.retention:
        yield DifferentSetting("checkpoint_storage", _kept(old.retention), _kept(new.retention))


def _is_same_metric(old: str, new: str, metric_names: MetricNames | None) -> bool:
    if metric_names is not None and metric_names.validation.get(old) == new:
        return True
    return old == new or is_renamed(old, new)


def _period(batches: int) -> str:
    return f"{batches:,} batches" if batches else "the whole training"


def _kept(retention: tuple[int, int] | None) -> str:
    if retention is None:
        return "all checkpoints"
    return f"save_trial_best {retention[0]} and save_trial_latest {retention[1]}"
