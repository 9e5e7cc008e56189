"""What a trial knows of its run and says about its training (seeds 001 and 002)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pedl2det_runtime.current import TrialInfo
from pedl2det_runtime.distributed import DistributedContext
from pedl2det_runtime.errors import CheckFailedError


class _ArgNotProvided:
    """The type of an argument that was left out where None has a meaning."""


_NOT_PROVIDED = _ArgNotProvided()


@dataclass(frozen=True)
class FitSettings:
    """What ``configure_fit`` sets; the defaults are those of spec/context_api.md, 4.3."""

    verbose: bool = True
    class_weight: Any = None
    workers: int = 1
    use_multiprocessing: bool = False
    max_queue_size: int = 10
    shuffle: bool = True
    validation_steps: int | None = None


class TFKerasExperimentalContext:
    """``context.experimental``: the features that lived here are gone (Determined 0.19.10)."""


class TFKerasTrialContext:
    """The context of one trial.

    Args:
        info: the running trial.
    """

    def __init__(self, info: TrialInfo) -> None:
        self._info = info
        self.distributed = DistributedContext(rank=info.rank, size=info.slots)
        self.experimental = TFKerasExperimentalContext()
        self.fit_settings = FitSettings()
        self.model: Any = None
        self.optimizers: list[Any] = []
        self.datasets_wrapped = False
        self._stop_requested = False
        self.initial_batch = 0

    # What the run is.

    def get_experiment_config(self) -> dict[str, Any]:
        """The experiment config as its file gives it."""
        return self._info.config.raw

    def get_data_config(self) -> dict[str, Any]:
        """The ``data`` section of the experiment config, empty if there is none."""
        return self._info.config.raw.get("data") or {}

    def get_experiment_id(self) -> int:
        """The experiment's number."""
        return self._info.experiment_id

    def get_trial_id(self) -> int:
        """The trial's number."""
        return self._info.trial_id

    def get_trial_seed(self) -> int:
        """The seed that Python, NumPy and TensorFlow were given."""
        return self._info.seed

    def get_hparams(self) -> dict[str, Any]:
        """All hyperparameters of this trial by name, in a dict of the caller's own."""
        return dict(self._info.hparams)

    def get_hparam(self, name: str) -> Any:
        """The value of one hyperparameter.

        Raises:
            ValueError: the config has none of this name.
        """
        if name not in self._info.hparams:
            known = ", ".join(sorted(self._info.hparams)) or "none"
            raise ValueError(f"Could not find name {name} in the hyperparameters: it has {known}")
        return self._info.hparams[name]

    def get_global_batch_size(self) -> int:
        """Records in one batch over all slots."""
        return self._info.global_batch_size

    def get_per_slot_batch_size(self) -> int:
        """Records in one batch of one slot."""
        return self._info.per_slot_batch_size

    def get_tensorboard_path(self) -> Path:
        """Where TensorBoard events are written."""
        return self._info.tensorboard_dir

    def get_initial_batch(self) -> int:
        """Batches that had been trained when this process began."""
        return self.initial_batch

    def get_stop_requested(self) -> bool:
        """Whether the trial is to end at the end of the current workload."""
        return self._stop_requested

    def set_stop_requested(self, stop_requested: bool) -> None:
        """End the trial gracefully at the end of the current workload."""
        if not isinstance(stop_requested, bool):
            raise CheckFailedError(f"stop_requested: expected a bool, got {stop_requested!r}")
        self._stop_requested = stop_requested

    # What the trial says.

    def configure_fit(
        self,
        verbose: bool | None = None,
        class_weight: Any = _NOT_PROVIDED,
        workers: int | None = None,
        use_multiprocessing: bool | None = None,
        max_queue_size: int | None = None,
        shuffle: bool | None = None,
        validation_steps: Any = _NOT_PROVIDED,
    ) -> None:
        """Set arguments of ``model.fit``; what is left out keeps its value.

        Raises:
            CheckFailedError: ``max_queue_size`` is below 1 or ``workers`` below 0.
        """
        given = {
            "verbose": verbose,
            "workers": workers,
            "use_multiprocessing": use_multiprocessing,
            "max_queue_size": max_queue_size,
            "shuffle": shuffle,
        }
        changes: dict[str, Any] = {
            name: value for name, value in given.items() if value is not None
        }
        optional = {"class_weight": class_weight, "validation_steps": validation_steps}
        changes |= {
            name: value
            for name, value in optional.items()
            if not isinstance(value, _ArgNotProvided)
        }
        if changes.get("max_queue_size", 1) < 1:
            raise CheckFailedError(f"max_queue_size: expected 1 or more, got {max_queue_size}")
        if changes.get("workers", 0) < 0:
            raise CheckFailedError(f"workers: expected 0 or more, got {workers}")
        self.fit_settings = replace(self.fit_settings, **changes)

    def wrap_model(self, model: Any) -> Any:
        """Say which model is trained; to be called before ``compile``.

        The model itself comes back: it has nothing to hide that a wrapper would have to
        forward. Called twice, the last model is trained.
        """
        self.model = model
        return model

    def wrap_optimizer(self, optimizer: Any) -> Any:
        """Say which optimizer trains the model, for distributed training and checkpoints."""
        self.optimizers.append(optimizer)
        return optimizer

    def wrap_dataset(self, dataset: Any, shard_dataset: bool = True) -> Any:
        """Say which ``tf.data.Dataset`` is read, so that every slot sees its own share of it."""
        self.datasets_wrapped = True
        if shard_dataset and self.distributed.size > 1:
            return dataset.shard(self.distributed.size, self.distributed.rank)
        return dataset
