"""What any trial may know of its run (``determined.TrialContext``)."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path
from typing import Any, Self

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.config.reader import config_from
from pedl2det_runtime.errors import CheckFailedError

_log = logging.getLogger(__name__)

_LOCAL_SEARCHER = {"name": "single", "metric": "", "max_length": {"batches": 1}}


class TrialContext:
    """What a trial may know of its run, and its wish to end it.

    Args:
        info: the trial.
        managed: whether a controller trains it; False for a context from :meth:`from_config`.

    Attributes:
        distributed: which of the trial's processes this is.
    """

    def __init__(self, info: TrialInfo, *, managed: bool = True) -> None:
        self._info = info
        self._managed = managed
        self._stop_requested = False
        self.distributed = info.distributed

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A context to try a trial's methods with, outside a run.

        ``wrap_model``, ``wrap_optimizer`` and ``wrap_dataset`` give back what they are given, so
        that the model can be trained with ``model.fit``. Hyperparameters that are searched get a
        value drawn from their range.

        Args:
            config: an experiment config; ``hyperparameters`` and ``data`` are enough.

        Raises:
            ConfigError: the config is wrong, with its key.
        """
        searcher = {**_LOCAL_SEARCHER, **(config.get("searcher") or {})}
        complete = {"hyperparameters": {}, **config, "searcher": searcher}
        experiment = config_from(complete, given=config)
        return cls(TrialInfo.of(experiment, Path(tempfile.gettempdir())), managed=False)

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
        if name == "global_batch_size" and self._info.slots > 1:
            _log.warning(
                "get_hparam('global_batch_size') is the size over all processes; a loader wants "
                "context.get_per_slot_batch_size()"
            )
        return self._info.hparams[name]

    def get_global_batch_size(self) -> int:
        """Records in one batch over all slots: a multiple of their number."""
        return self._info.global_batch_size

    def get_per_slot_batch_size(self) -> int:
        """Records in one batch of one slot."""
        return self._info.per_slot_batch_size

    def get_tensorboard_path(self) -> Path:
        """The directory where TensorBoard events are written."""
        return self._info.tensorboard_dir

    def get_initial_batch(self) -> int:
        """Batches that had been trained when this process began."""
        return self._info.initial_batch

    def get_stop_requested(self) -> bool:
        """Whether the trial is to end at the end of the current workload."""
        return self._stop_requested

    def set_stop_requested(self, stop_requested: bool) -> None:
        """End the trial gracefully at the end of the current workload.

        Raises:
            AssertionError: ``stop_requested`` is no bool.
        """
        if not isinstance(stop_requested, bool):
            raise CheckFailedError(f"stop_requested: expected a bool, got {stop_requested!r}")
        _log.info("a stop of the trial was %s", "requested" if stop_requested else "withdrawn")
        self._stop_requested = stop_requested

    # Where Determined 0.12.0 had the ranks; from 0.12.2 on they are those of ``distributed``.

    def get_rank(self) -> int:
        """The unique number of this process within the trial."""
        return self.distributed.get_rank()

    def get_local_rank(self) -> int:
        """The unique number of this process on its machine."""
        return self.distributed.get_local_rank()

    def get_size(self) -> int:
        """How many slots this trial runs on."""
        return self.distributed.get_size()

    def get_num_agents(self) -> int:
        """How many machines this trial runs on."""
        return self.distributed.get_num_agents()
