"""``context.env``: what a trial may know about its run (``determined.EnvContext``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pedl2det_runtime import refusals
from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.config.config_dict import ConfigDict


@dataclass
class EnvContext(refusals.RefusesInternals):
    """The environment of a trial. Attributes of a cluster have the values of a local run.

    Attributes:
        experiment_config: the experiment config, with defaults.
        hparams: the value of each hyperparameter.
        trial_seed: the seed of the trial.
        det_trial_id: ID of the trial; empty outside a run.
        det_experiment_id: ID of the experiment; empty outside a run.
        managed_training: whether the runtime trains the trial.
        steps_completed: batches that were trained before this process began.
        slot_ids: the slots of this machine.
    """

    experiment_config: ConfigDict
    hparams: dict[str, Any]
    trial_seed: int = 0
    det_trial_id: str = ""
    det_experiment_id: str = ""
    managed_training: bool = False
    steps_completed: int = 0
    slot_ids: list[int] = field(default_factory=list)
    latest_checkpoint: str | None = None
    container_gpus: list[str] = field(default_factory=list)
    use_gpu: bool = False
    debug: bool = False
    test_mode: bool = False
    on_cluster: bool = False
    trial_run_id: int = 1
    allocation_id: str = ""
    det_agent_id: str = ""
    det_cluster_id: str = ""
    master_url: str = ""
    master_cert_file: str | None = None
    master_cert_name: str | None = None


def env_of(info: TrialInfo, *, managed: bool) -> EnvContext:
    """Return the environment of a trial.

    Args:
        info: the trial.
        managed: whether the runtime trains it.
    """
    config = info.experiment_config
    return EnvContext(
        experiment_config=config,
        hparams=dict(info.hparams),
        trial_seed=info.seed,
        det_trial_id=str(info.trial_id) if managed else "",
        det_experiment_id=str(info.experiment_id) if managed else "",
        managed_training=managed,
        steps_completed=info.initial_batch,
        slot_ids=list(range(info.distributed.local_size)),
        debug=config.debug_enabled(),
    )
