"""``determined.get_cluster_info``: what a trial knows of its run before it has a context.

Modules ask it while they are imported. It holds what a Keras trial may use; addresses and
credentials of a cluster are not part of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pedl2det_runtime.api.trial_info import current
from pedl2det_runtime.errors import NoTrialError


@dataclass(frozen=True)
class ClusterTrialInfo:
    """The trial that is running (``determined.TrialInfo``).

    Attributes:
        trial_id: the trial's number.
        experiment_id: the experiment's number.
        trial_seed: the seed that Python, NumPy and TensorFlow were given.
        hparams: one value for each hyperparameter.
    """

    trial_id: int
    experiment_id: int
    trial_seed: int
    hparams: dict[str, Any]


@dataclass(frozen=True)
class ClusterInfo:
    """The task that is running.

    Attributes:
        trial: the trial that it trains.
        user_data: the ``data`` section of the experiment config, empty if there is none.
        slot_ids: the slots of this machine.
        container_slot_counts: how many slots each machine has.
        container_rank: the number of this machine.
        task_type: always ``"TRIAL"``.
        gpu_uuids: the GPUs of this machine; none are used.
        latest_checkpoint: the checkpoint to start from; None, because the runtime loads it.
    """

    trial: ClusterTrialInfo
    user_data: dict[str, Any]
    slot_ids: list[int]
    container_slot_counts: list[int]
    container_rank: int
    task_type: str = "TRIAL"
    gpu_uuids: list[str] = field(default_factory=list)
    latest_checkpoint: str | None = None


def get_cluster_info() -> ClusterInfo | None:
    """Return what is known of the running trial; None where none is running."""
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
        ),
        user_data=info.config.raw.get("data") or {},
        slot_ids=list(range(distributed.local_size)),
        container_slot_counts=[distributed.local_size] * distributed.cross_size,
        container_rank=distributed.cross_rank,
    )
