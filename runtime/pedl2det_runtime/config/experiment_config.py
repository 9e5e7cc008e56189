"""The validated experiment config, with all lengths convertible to batches.

Follows docs/semantics.md, Lengths and Config format, and the Determined documentation, *Experiment
Configuration Reference*. A legacy *step* is ``batches_per_step`` batches (default 100).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from pedl2det_runtime.config import cluster_environment
from pedl2det_runtime.config.lengths import Count, Length, NonNegative, Period, Steps
from pedl2det_runtime.config.yaml12 import Source

SearcherName = Literal[
    "single",
    "random",
    "grid",
    "adaptive_asha",
    "adaptive_simple",
    "adaptive",
    "async_halving",
    "sync_halving",
    "pbt",
]

#: Searchers whose trials train up to ``target_trial_steps``, and have no ``max_steps``.
TARGETED = ("adaptive", "async_halving", "sync_halving")


class _Section(BaseModel):
    """A section of the config. Keys without a field are kept and not validated."""

    model_config = ConfigDict(extra="allow", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _nothing_is_the_default(cls, value: Any) -> Any:
        """Treat a key without a value (``data:``) like a missing key."""
        if not isinstance(value, dict):
            return value
        optional = {key for key, field in cls.model_fields.items() if not field.is_required()}
        return {
            key: child for key, child in value.items() if child is not None or key not in optional
        }


class Searcher(_Section):
    """The searcher: its metric, and the length of one trial."""

    name: SearcherName
    metric: str
    smaller_is_better: bool = True
    max_steps: Steps | None = None
    target_trial_steps: Steps | None = None
    max_length: Period | None = None
    source_checkpoint_uuid: str | None = None
    source_trial_id: int | None = None

    @property
    def length(self) -> int | Length | None:
        """The length of one trial."""
        length: int | Length | None = getattr(self, self._length_key)
        return length

    @property
    def _length_key(self) -> str:
        """The key that sets the length of one trial."""
        keys = ("max_length", "max_steps", "target_trial_steps")
        if self.name in TARGETED:
            keys = ("target_trial_steps", "max_length", "max_steps")
        return next((key for key in keys if getattr(self, key)), "max_length")

    def twice_the_length(self) -> str:
        """Return the argument of ``--set`` that doubles the length of one trial."""
        key, length = f"searcher.{self._length_key}", self.length
        if isinstance(length, Length):
            (unit, count), *_ = length.model_dump(exclude_none=True).items()
            return f"{key}.{unit}={2 * count}"
        return f"{key}={2 * (length or 0)}"

    @model_validator(mode="before")
    @classmethod
    def _a_trial_trains_all_rounds(cls, value: Any) -> Any:
        """Set the length of a ``pbt`` trial to the sum of all rounds."""
        match value:
            case {"name": "pbt", "num_rounds": int(rounds), "steps_per_round": int(steps)}:
                return {"max_steps": rounds * steps, **value}
            case {"name": "pbt", "num_rounds": int(rounds), "length_per_round": {**length}}:
                counts = {unit: count for unit, count in length.items() if isinstance(count, int)}
                total = {unit: rounds * count for unit, count in counts.items()}
                return {"max_length": total, **value}
        return value


class Resources(_Section):
    """The number of processes that train one trial."""

    slots_per_trial: NonNegative = 1


class Optimizations(_Section):
    """How gradients and metrics are aggregated over processes and batches."""

    aggregation_frequency: Count = 1
    average_aggregated_gradients: bool = True
    average_training_metrics: bool = True
    gradient_compression: bool = False


class CheckpointStorage(_Section):
    """An additional storage of checkpoints, and the number of checkpoints to keep.

    The checkpoints of the ``save_trial_best`` best validations and the ``save_trial_latest`` latest
    ones are kept. ``save_experiment_best`` applies to one trial here, because a run trains one.
    """

    type: Literal["shared_fs", "directory", "s3", "gcs", "azure", "hdfs"] | None = None
    save_experiment_best: NonNegative = 0
    save_trial_best: NonNegative = 1
    save_trial_latest: NonNegative = 1

    @property
    def best(self) -> int:
        """The number of checkpoints with the best validations to keep."""
        return max(self.save_trial_best, self.save_experiment_best)


class Reproducibility(_Section):
    """The seed of the trial."""

    experiment_seed: NonNegative = 0


class ExperimentConfig(_Section):
    """An experiment config of any generation."""

    _raw: dict[str, Any] = PrivateAttr(default_factory=dict)
    _source: Source = PrivateAttr(default_factory=Source)

    name: str | None = None
    description: str | None = None
    entrypoint: str | list[Any] | dict[str, Any] | None = None
    entrypoints: dict[str, str] | None = None
    data: dict[str, Any] = Field(default_factory=dict)
    hyperparameters: dict[str, Any]
    searcher: Searcher
    resources: Resources = Resources()
    reproducibility: Reproducibility = Reproducibility()
    optimizations: Optimizations = Optimizations()
    checkpoint_storage: CheckpointStorage | None = None
    batches_per_step: Count | None = None
    scheduling_unit: Count = 100
    records_per_epoch: NonNegative = 0
    min_validation_period: Period | None = None
    min_checkpoint_period: Period | None = None
    perform_initial_validation: bool = False
    checkpoint_policy: Literal["best", "all", "none"] = "best"
    max_restarts: NonNegative = 5

    @model_validator(mode="after")
    def _one_trial_has_a_length(self) -> Self:
        searcher = self.searcher
        if not searcher.length:
            raise ValueError("searcher: expected max_length (or max_steps in a legacy config)")
        if isinstance(searcher.max_length, int):
            raise ValueError(
                "searcher.max_length: expected a mapping with one of batches, records, epochs "
                f"and a whole number, got {searcher.max_length}"
            )
        if not self.is_legacy:
            if self.checkpoint_storage and self.checkpoint_storage.type == "hdfs":
                raise ValueError(
                    "checkpoint_storage.type: hdfs is not supported: expected shared_fs, "
                    "directory, s3, gcs or azure"
                )
            for name in ("min_validation_period", "min_checkpoint_period"):
                if isinstance(getattr(self, name), int):
                    raise ValueError(
                        f"{name}: expected a mapping with one of batches, records, epochs: "
                        "a number of steps belongs to a config with max_steps"
                    )
        return self

    def read_from(self, raw: dict[str, Any], source: Source) -> Self:
        """Return this config with the mapping that it was read from, and where that was written."""
        config = self.model_copy()
        config._raw, config._source = raw, source
        return config

    @property
    def raw(self) -> dict[str, Any]:
        """The config as written in its file, for ``get_experiment_config()``."""
        return self._raw

    @cached_property
    def places(self) -> cluster_environment.Places:
        """What directories of a cluster's containers are on this machine."""
        return cluster_environment.places(self._raw)

    @property
    def source(self) -> Source:
        """Where the keys of this config were written."""
        return self._source

    def location(self, *keys: str | int) -> str:
        """Return ``file:line: key.path`` of a key, for messages."""
        return self._source.location(keys)

    @property
    def title(self) -> str:
        """The name of this experiment in messages."""
        return self.name or self.description or "experiment"

    @property
    def is_legacy(self) -> bool:
        """Whether the lengths are in steps, as before Determined 0.13."""
        return bool(
            self.searcher.max_steps or self.searcher.target_trial_steps or self.batches_per_step
        )

    @property
    def report_period(self) -> int:
        """Batches between two reports of training metrics: a step, or the scheduling unit."""
        return self.batches_per_step or self.scheduling_unit

    def batches(self, period: int | Length | None, batch_size: int) -> int:
        """Convert a period to batches; 0 if there is no period.

        Raises:
            ValueError: the period is in epochs and the config has no ``records_per_epoch``.
        """
        if period is None:
            return 0
        if isinstance(period, Length):
            return period.in_batches(batch_size, self.records_per_epoch)
        return period * self.report_period

    def training_batches(self, batch_size: int) -> int:
        """Return the length of a trial in batches.

        Args:
            batch_size: records per batch over all processes.

        Raises:
            ValueError: the length is in epochs and the config has no ``records_per_epoch``.
        """
        return self.batches(self.searcher.length, batch_size)
