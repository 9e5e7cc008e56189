"""The trial that runs in this process, also as ``determined.get_cluster_info`` describes it.

The trial is set before any module of the user is imported, because old code reads hyperparameters
during its import, when no context exists. Addresses and credentials of a cluster are not included.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from pedl2det_runtime.config.cluster_environment import here, variables_set
from pedl2det_runtime.config.config_dict import ConfigDict, with_defaults
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.config.hparams import sample_hparams
from pedl2det_runtime.distributed import DistributedContext, DummyDistributedContext
from pedl2det_runtime.errors import InvalidConfigurationException, NoTrialError
from pedl2det_runtime.errors.repeated_warnings import shown_once


@dataclass(frozen=True)
class TrialInfo:
    """Information about the run of a trial.

    Attributes:
        config: the validated experiment config.
        hparams: the value of each hyperparameter, by its name in the config.
        seed: the trial's seed.
        tensorboard_dir: directory of the TensorBoard events.
        distributed: ranks and collective operations of the trial's processes.
        experiment_id: ID of the experiment.
        trial_id: ID of the trial.
        initial_batch: number of batches trained before this process started.
        scripts_batch_size: records per batch over all processes, if a script sets it.
    """

    config: ExperimentConfig
    hparams: dict[str, Any]
    seed: int
    tensorboard_dir: Path
    distributed: DistributedContext = field(default_factory=DummyDistributedContext)
    experiment_id: int = 1
    trial_id: int = 1
    initial_batch: int = 0
    scripts_batch_size: int | None = None

    @classmethod
    def of(
        cls, config: ExperimentConfig, out: Path, distributed: DistributedContext | None = None
    ) -> Self:
        """Create the information about the trial of a config.

        Args:
            config: the experiment config.
            out: the directory of the results.
            distributed: the ranks; one process by default.
        """
        return cls(
            distributed=distributed or DummyDistributedContext(),
            config=config,
            hparams=here(sample_hparams(config), config.places),
            seed=config.reproducibility.experiment_seed,
            tensorboard_dir=out / "tensorboard",
        )

    @cached_property
    def experiment_config(self) -> ConfigDict:
        """The config with Determined's defaults: one dict that all code of the trial shares."""
        return with_defaults(self.config)

    @property
    def slots(self) -> int:
        """The number of processes that train this trial."""
        return self.distributed.size

    @property
    def rank(self) -> int:
        """The rank of this process."""
        return self.distributed.rank

    @property
    def per_slot_batch_size(self) -> int:
        """Records per batch of one process (docs/semantics.md, Batch size).

        Raises:
            InvalidConfigurationException: ``global_batch_size`` (``batch_size`` in a legacy config)
                is missing, not an integer, or less than the number of processes.
        """
        name = "global_batch_size" if "global_batch_size" in self.hparams else "batch_size"
        value = self.hparams.get(name, self.scripts_batch_size)
        if value is None and name not in self.hparams:
            name = "global_batch_size"
            if self.config.is_legacy:
                name = "batch_size (of Determined 0.12, global_batch_size)"
            raise InvalidConfigurationException(f"hyperparameters.{name}: this key is required")
        if isinstance(value, bool) or not isinstance(value, int) or value < self.slots:
            expected = "a positive whole number" if self.slots == 1 else f"at least {self.slots}"
            raise InvalidConfigurationException(
                f"hyperparameters.{name}: expected {expected}, got {value!r}"
            )
        return value // self.slots

    @property
    def global_batch_size(self) -> int:
        """Records per batch over all processes, a multiple of their number."""
        return self.per_slot_batch_size * self.slots


_running: TrialInfo | None = None


def current() -> TrialInfo:
    """Return the running trial.

    Raises:
        NoTrialError: no trial is running in this process.
    """
    if _running is None:
        raise NoTrialError(
            "no trial is running, so no hyperparameters and no config are available: "
            "start the trial with `pedl2det run DIR`"
        )
    return _running


@contextmanager
def running(info: TrialInfo) -> Iterator[TrialInfo]:
    """Make ``info`` the running trial inside the ``with`` block, with its environment variables."""
    global _running
    before, _running = _running, info
    try:
        with shown_once(), variables_set(info.config.raw):
            yield info
    finally:
        _running = before


def tensorboard_directory() -> Path:
    """Return the directory of TensorBoard's files; ``runs/tensorboard`` outside a run."""
    return _running.tensorboard_dir if _running else (Path("runs") / "tensorboard").resolve()


@dataclass(frozen=True)
class ClusterTrialInfo:
    """The running trial (``determined.TrialInfo``).

    Attributes:
        trial_id: ID of the trial.
        experiment_id: ID of the experiment.
        trial_seed: seed of ``random``, NumPy and TensorFlow.
        hparams: the value of each hyperparameter, by name.
    """

    trial_id: int
    experiment_id: int
    trial_seed: int
    hparams: dict[str, Any]
    _config: dict[str, Any] = field(default_factory=dict)  # the experiment config


@dataclass(frozen=True)
class ClusterInfo:
    """The running task.

    Attributes:
        trial: the trial of the task.
        user_data: the ``data`` section of the experiment config; empty if absent.
        slot_ids: IDs of the slots on this machine.
        container_slot_counts: number of slots on each machine.
        container_rank: rank of this machine.
        task_type: always ``"TRIAL"``.
        gpu_uuids: always empty.
        latest_checkpoint: always None; the runtime restores checkpoints itself.
        container_addrs: always empty, like the addresses, IDs and credentials of a cluster.
    """

    trial: ClusterTrialInfo
    user_data: dict[str, Any]
    slot_ids: list[int]
    container_slot_counts: list[int]
    container_rank: int
    task_type: str = "TRIAL"
    gpu_uuids: list[str] = field(default_factory=list)
    latest_checkpoint: str | None = None
    container_addrs: list[str] = field(default_factory=list)
    master_url: str = ""
    cluster_id: str = ""
    agent_id: str = ""
    task_id: str = ""
    allocation_id: str = ""
    session_token: str = ""


def get_cluster_info() -> ClusterInfo | None:
    """Return information about the running trial, or None outside a run."""
    try:
        info = current()
    except NoTrialError:
        return None
    distributed = info.distributed
    return ClusterInfo(
        trial=ClusterTrialInfo(
            trial_id=info.trial_id,
            experiment_id=info.experiment_id,
            trial_seed=info.seed,
            hparams=dict(info.hparams),
            _config=info.experiment_config,
        ),
        user_data=here(info.config.data, info.config.places),
        slot_ids=list(range(distributed.local_size)),
        container_slot_counts=[distributed.local_size] * distributed.cross_size,
        container_rank=distributed.cross_rank,
    )
