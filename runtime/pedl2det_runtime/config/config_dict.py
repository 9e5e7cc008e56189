"""The experiment config as a trial sees it: a dict with Determined's defaults and accessors."""

from __future__ import annotations

import copy
from typing import Any

from pedl2det_runtime.config.cluster_environment import config_here
from pedl2det_runtime.config.experiment_config import ExperimentConfig

#: What Determined 0.38.1 fills in, of the sections that trials read.
_DEFAULTS: dict[str, Any] = {
    "checkpoint_policy": "best",
    "data": {},
    "debug": False,
    "description": "",
    "hyperparameters": {},
    "labels": [],
    "max_restarts": 5,
    "optimizations": {
        "aggregation_frequency": 1,
        "average_aggregated_gradients": True,
        "average_training_metrics": True,
        "gradient_compression": False,
        "mixed_precision": "O0",
    },
    "perform_initial_validation": False,
    "profiling": {"enabled": False},
    "reproducibility": {"experiment_seed": 0},
    "resources": {"slots_per_trial": 1},
    "searcher": {"smaller_is_better": True},
}
#: Lengths, by whether they are in steps.
_LENGTHS: dict[bool, dict[str, Any]] = {
    False: {
        "min_checkpoint_period": {"batches": 0},
        "min_validation_period": {"batches": 0},
        "records_per_epoch": 0,
        "scheduling_unit": 100,
    },
    True: {"batches_per_step": 100},
}


class ConfigDict(dict[str, Any]):
    """An experiment config (``determined.ExperimentConfig``): a dict with accessors."""

    def debug_enabled(self) -> bool:
        """Return ``debug``."""
        return bool(self.get("debug", False))

    def experiment_seed(self) -> int:
        """Return ``reproducibility.experiment_seed``."""
        return int(self.get("reproducibility", {}).get("experiment_seed", 0))

    def scheduling_unit(self) -> int:
        """Return ``scheduling_unit``; in a config in steps, ``batches_per_step``."""
        return int(self.get("scheduling_unit") or self.get("batches_per_step") or 100)

    def slots_per_trial(self) -> int:
        """Return ``resources.slots_per_trial``."""
        return int(self.get("resources", {}).get("slots_per_trial", 1))

    def native_parallel_enabled(self) -> bool:
        """Return ``resources.native_parallel``, which has no effect."""
        return bool(self.get("resources", {}).get("native_parallel", False))

    def get_records_per_epoch(self) -> int | None:
        """Return ``records_per_epoch``; None if it is not set."""
        return self.get("records_per_epoch") or None

    def get_min_validation_period(self) -> dict[str, Any]:
        """Return ``min_validation_period``."""
        return self.get("min_validation_period") or {}

    def get_min_checkpoint_period(self) -> dict[str, Any]:
        """Return ``min_checkpoint_period``."""
        return self.get("min_checkpoint_period") or {}

    def get_optimizations_config(self) -> dict[str, Any]:
        """Return ``optimizations``."""
        return self.get("optimizations") or {}

    def average_training_metrics_enabled(self) -> bool:
        """Return ``optimizations.average_training_metrics``."""
        return bool(self.get_optimizations_config().get("average_training_metrics", True))

    def get_checkpoint_storage(self) -> dict[str, Any]:
        """Return ``checkpoint_storage``; empty if absent."""
        return self.get("checkpoint_storage") or {}

    def get_entrypoint(self) -> Any:
        """Return ``entrypoint``.

        Raises:
            KeyError: there is none.
        """
        return self["entrypoint"]

    def get_searcher_metric(self) -> str:
        """Return ``searcher.metric``.

        Raises:
            AssertionError: there is none.
        """
        metric = self.get("searcher", {}).get("metric")
        assert isinstance(metric, str), f"searcher.metric: expected text, got {metric!r}"
        return metric

    def profiling_enabled(self) -> bool:
        """Return ``profiling.enabled``, which has no effect."""
        return bool(self.get("profiling", {}).get("enabled", False))

    def profiling_interval(self) -> tuple[int, int | None]:
        """Return the first and the last batch of ``profiling``."""
        profiling = self.get("profiling", {})
        return int(profiling.get("begin_on_batch", 0)), profiling.get("end_after_batch")

    def profiling_sync_timings(self) -> bool:
        """Return ``profiling.sync_timings``."""
        return bool(self.get("profiling", {}).get("sync_timings", True))


def with_defaults(config: ExperimentConfig) -> ConfigDict:
    """Return a config with the paths of this machine, and Determined's defaults for missing keys.

    Nothing is shared with the config: a trial may change it.
    """
    defaults = {**_DEFAULTS, **_LENGTHS[config.is_legacy]}
    return ConfigDict(_filled(config_here(config.raw, config.places), defaults))


def _filled(written: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    filled = copy.deepcopy(written)
    for name, default in defaults.items():
        value = filled.get(name)
        if value is None:
            filled[name] = copy.deepcopy(default)
        elif isinstance(value, dict) and isinstance(default, dict) and "batches" not in default:
            filled[name] = _filled(value, default)
    return filled
