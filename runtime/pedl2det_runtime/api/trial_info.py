"""The trial that runs in this process: known before any module of the user is imported.

Old code asks for hyperparameters while it is imported, so what is asked for stands here and
not on a context object.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from pedl2det_runtime.config.hparams import sample_hparams
from pedl2det_runtime.config.model import ExperimentConfig
from pedl2det_runtime.distributed import DistributedContext, one_process
from pedl2det_runtime.errors import InvalidConfigurationException, NoTrialError


@dataclass(frozen=True)
class TrialInfo:
    """What a trial may know of its run.

    Attributes:
        config: the validated experiment config.
        hparams: one value for each hyperparameter, as the config names them.
        seed: the trial's seed.
        tensorboard_dir: where TensorBoard events go.
        distributed: which of the processes that train this trial this is.
        experiment_id: the experiment's number.
        trial_id: the trial's number.
        initial_batch: batches that had been trained when this process began.
        scripts_batch_size: records in a batch of a script, whose config does not say it.
    """

    config: ExperimentConfig
    hparams: dict[str, Any]
    seed: int
    tensorboard_dir: Path
    distributed: DistributedContext = field(default_factory=one_process)
    experiment_id: int = 1
    trial_id: int = 1
    initial_batch: int = 0
    scripts_batch_size: int | None = None

    @classmethod
    def of(
        cls, config: ExperimentConfig, out: Path, distributed: DistributedContext | None = None
    ) -> Self:
        """The one trial of a config that is trained here, with its results in ``out``."""
        return cls(
            distributed=distributed or one_process(),
            config=config,
            hparams=sample_hparams(config),
            seed=config.reproducibility.experiment_seed,
            tensorboard_dir=out / "tensorboard",
        )

    @property
    def slots(self) -> int:
        """How many processes train this trial."""
        return self.distributed.size

    @property
    def rank(self) -> int:
        """Which of them this is."""
        return self.distributed.rank

    @property
    def per_slot_batch_size(self) -> int:
        """Records in one process's batch (spec/context_api.md, 4.4).

        Raises:
            InvalidConfigurationException: there is no usable ``global_batch_size``, or
                ``batch_size`` in a legacy config.
        """
        name = "global_batch_size" if "global_batch_size" in self.hparams else "batch_size"
        value = self.hparams.get(name, self.scripts_batch_size)
        if isinstance(value, bool) or not isinstance(value, int) or value < self.slots:
            wanted = "a positive whole number" if self.slots == 1 else f"at least {self.slots}"
            raise InvalidConfigurationException(
                f"hyperparameters.{name}: expected {wanted}, got {value!r}"
                if name in self.hparams
                else f"hyperparameters.{self._batch_key}: this key is required"
            )
        return value // self.slots

    @property
    def _batch_key(self) -> str:
        """What the batch size is called in a config of this generation."""
        if not self.config.is_legacy:
            return "global_batch_size"
        return "batch_size (of Determined 0.12, global_batch_size)"

    @property
    def global_batch_size(self) -> int:
        """Records in one batch over all processes, a multiple of their number."""
        return self.per_slot_batch_size * self.slots


_running: TrialInfo | None = None


def current() -> TrialInfo:
    """The running trial.

    Raises:
        NoTrialError: no trial runs in this process.
    """
    if _running is None:
        raise NoTrialError(
            "no trial is running, so there are no hyperparameters and no config to ask for: "
            "start the trial with `pedl2det run DIR`"
        )
    return _running


@contextmanager
def running(info: TrialInfo) -> Iterator[TrialInfo]:
    """Make ``info`` the running trial of this process."""
    global _running
    before, _running = _running, info
    try:
        yield info
    finally:
        _running = before
