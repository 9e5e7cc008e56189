"""``determined.get_cluster_info``: information about the run before a context exists.

Modules call it while they are imported. Addresses and credentials of a cluster are not included.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pedl2det_runtime.api.trial_info import current
from pedl2det_runtime.config.cluster_environment import here
from pedl2det_runtime.errors import NoTrialError


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
