"""The base class of contexts (``determined.TrialContext``), and ``context.env``."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from pedl2det_runtime import refusals
from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.config.config_dict import ConfigDict
from pedl2det_runtime.config.reader import config_from, local_config
from pedl2det_runtime.config.unknown_keys import unknown_hparam
from pedl2det_runtime.errors import CheckFailedError
from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)


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


class TrialContext(refusals.RefusesInternals):
    """Information about the run of a trial, and a way to stop it.

    Args:
        info: the running trial.
        managed: whether the runtime trains the trial; False for a context of :meth:`from_config`.

    Attributes:
        distributed: ranks and collective operations of the trial's processes.
        env: the config, hyperparameters, seed and IDs of the trial.
    """

    def __init__(self, info: TrialInfo, *, managed: bool = True) -> None:
        self._info = info
        self._managed = managed
        self._stop_requested = False
        self.distributed = info.distributed
        self.env = EnvContext(
            experiment_config=info.experiment_config,
            hparams=dict(info.hparams),
            trial_seed=info.seed,
            det_trial_id=str(info.trial_id) if managed else "",
            det_experiment_id=str(info.experiment_id) if managed else "",
            managed_training=managed,
            steps_completed=info.initial_batch,
            slot_ids=list(range(info.distributed.local_size)),
            debug=info.experiment_config.debug_enabled(),
        )

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Create a context for calling a trial's methods outside a run.

        ``wrap_model``, ``wrap_optimizer`` and ``wrap_dataset`` return their argument, so the model
        can be trained with ``model.fit``. Searched hyperparameters are drawn from their range.

        Args:
            config: an experiment config. Only ``hyperparameters`` and ``data`` are needed.

        Raises:
            ConfigError: a key of the config is invalid; the message names it.
        """
        experiment = config_from(local_config(config), raw=config)
        return cls(TrialInfo.of(experiment, Path(tempfile.gettempdir())), managed=False)

    def get_experiment_config(self) -> ConfigDict:
        """Return the experiment config as written in its file, with Determined's defaults."""
        return self.env.experiment_config

    def get_data_config(self) -> dict[str, Any]:
        """Return the ``data`` section of the experiment config; empty if absent."""
        data: dict[str, Any] = self.env.experiment_config["data"]
        return data

    def get_experiment_id(self) -> int:
        """Return the ID of the experiment."""
        return self._info.experiment_id

    def get_trial_id(self) -> int:
        """Return the ID of the trial."""
        return self._info.trial_id

    def get_trial_seed(self) -> int:
        """Return the seed of ``random``, NumPy and TensorFlow."""
        return self._info.seed

    def get_hparams(self) -> dict[str, Any]:
        """Return the hyperparameters of this trial by name: one dict, as Determined gives it."""
        return self._info.hparams

    def get_hparam(self, name: str) -> Any:
        """Return the value of a hyperparameter.

        Raises:
            ValueError: the config has no hyperparameter of this name.
        """
        if name not in self._info.hparams:
            raise ValueError(unknown_hparam(name, self._info.hparams))
        if name == "global_batch_size" and self._info.slots > 1:
            _log.warning(
                "get_hparam('global_batch_size') is the size over all processes; use "
                "context.get_per_slot_batch_size() in a loader"
            )
        return self._info.hparams[name]

    def get_global_batch_size(self) -> int:
        """Return the number of records per batch over all slots, a multiple of the slots.

        Raises:
            InvalidConfigurationException: the config has no usable batch size.
        """
        return self._info.global_batch_size

    def get_per_slot_batch_size(self) -> int:
        """Return the number of records per batch of one slot.

        Raises:
            InvalidConfigurationException: the config has no usable batch size.
        """
        return self._info.per_slot_batch_size

    def get_tensorboard_path(self) -> Path:
        """Return the directory of the TensorBoard events."""
        return self._info.tensorboard_dir

    def get_initial_batch(self) -> int:
        """Return the number of batches trained before this process started."""
        return self._info.initial_batch

    def get_stop_requested(self) -> bool:
        """Return whether the trial stops at the end of the current workload."""
        return self._stop_requested

    def set_stop_requested(self, stop_requested: bool) -> None:
        """Stop the trial at the end of the current workload, or withdraw that request.

        Raises:
            AssertionError: ``stop_requested`` is not a bool.
        """
        if not isinstance(stop_requested, bool):
            raise CheckFailedError(f"stop_requested: expected a bool, got {stop_requested!r}")
        _log.info("a stop of the trial was %s", "requested" if stop_requested else "withdrawn")
        self._stop_requested = stop_requested

    # Getters of Determined 0.12.0; since 0.12.2 they are methods of ``distributed``.

    def get_rank(self) -> int:
        """Return the rank of this process within the trial."""
        return self.distributed.get_rank()

    def get_local_rank(self) -> int:
        """Return the rank of this process on its machine."""
        return self.distributed.get_local_rank()

    def get_size(self) -> int:
        """Return the number of slots of this trial."""
        return self.distributed.get_size()

    def get_num_agents(self) -> int:
        """Return the number of machines of this trial."""
        return self.distributed.get_num_agents()
