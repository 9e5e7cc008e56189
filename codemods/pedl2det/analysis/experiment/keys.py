"""The keys of an experiment config that Determined 0.38.1 accepts; it rejects all others."""

from __future__ import annotations


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


TOP = _set(
    "bind_mounts checkpoint_policy checkpoint_storage data debug description entrypoint "
    "environment hyperparameters integrations internal labels log_policies "
    "log_retention_days max_restarts min_checkpoint_period min_validation_period name "
    "notes optimizations pbs perform_initial_validation preemption_timeout profiling "
    "project records_per_epoch reproducibility resources retention_policy scheduling_unit "
    "searcher security slurm tensorboard_storage workspace"
)

#: Sections whose keys are all known. Those of ``data`` and ``hyperparameters`` are the trial's own.
SECTIONS = {
    "environment": _set(
        "add_capabilities drop_capabilities environment_variables force_pull_image image "
        "pod_spec ports proxy_ports registry_auth"
    ),
    "optimizations": _set(
        "aggregation_frequency auto_tune_tensor_fusion average_aggregated_gradients "
        "average_training_metrics grad_updates_size_file gradient_compression mixed_precision "
        "tensor_fusion_cycle_time tensor_fusion_threshold"
    ),
    "reproducibility": frozenset({"experiment_seed"}),
    "resources": _set(
        "agent_label devices is_single_node max_slots native_parallel priority resource_pool "
        "shm_size slots slots_per_trial weight"
    ),
}

_EVERY_SEARCHER = _set(
    "max_length max_time metric name smaller_is_better source_checkpoint_uuid "
    "source_trial_id time_metric"
)
_HALVING = _set("divisor max_concurrent_trials max_trials stop_once")
SEARCHERS = {
    "single": _EVERY_SEARCHER,
    "random": _EVERY_SEARCHER | {"max_concurrent_trials", "max_trials"},
    "grid": _EVERY_SEARCHER | {"max_concurrent_trials"},
    "adaptive_asha": _EVERY_SEARCHER | _HALVING | {"bracket_rungs", "max_rungs", "mode"},
    "async_halving": _EVERY_SEARCHER | _HALVING | {"num_rungs"},
}
#: Searchers that are gone, and what takes their place.
GONE_SEARCHERS = {
    "adaptive": "adaptive_asha",  # until Determined 0.15.0, as the next two
    "adaptive_simple": "adaptive_asha",
    "sync_halving": "async_halving",
    "pbt": "random",  # until 0.17.15
}
#: Keys that only searchers of old had.
OLD_SEARCHER_KEYS = _set(
    "budget length_per_round max_steps num_rounds population_size step_budget "
    "steps_per_round target_trial_steps train_stragglers explore_function replace_function"
)
