"""Every documented key of an experiment config, and what ``pedl2det run`` does with it.

The single source for the notices of a run, for suggestions about misspelled keys and for
docs/config.md (``scripts/config_page.py``).
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass


class Effect(enum.Enum):
    """What a run does with a key."""

    SERVED = "served"
    PROCESSES = "served on several processes; no effect on one"
    SEARCH = "served by `pedl2det search`; no effect on one trial"
    LABEL = "no effect on the training"
    CLUSTER = "no effect without a cluster"
    REFUSED = "refused"


class Configs(enum.Enum):
    """The configs that have a key."""

    ALL = "all"
    STEPS = "PEDL, Determined 0.12"
    CURRENT = "Determined 0.13 to 0.38"


ALL, STEPS, CURRENT = Configs
SERVED, PROCESSES, SEARCH, LABEL, CLUSTER, REFUSED = Effect


@dataclass(frozen=True)
class Row:
    """Keys of one section with the same effect."""

    section: str  #: the name of the section; empty for the top level
    names: str  #: the keys, separated by spaces
    effect: Effect  #: what a run does with them
    configs: Configs = ALL  #: the configs that have them
    note: str = ""  #: what they set

    @property
    def paths(self) -> list[str]:
        """The keys with their section."""
        prefix = f"{self.section}." if self.section else ""
        return [prefix + name for name in self.names.split()]


ROWS = (
    Row("", "name", SERVED, CURRENT, "the title in messages (since 0.16)"),
    Row("", "description", SERVED, ALL, "the title in messages, without `name`"),
    Row("", "labels notes project workspace template", LABEL, ALL, "kept in the checkpoints"),
    Row("", "entrypoint", SERVED, ALL, "the trial (`module:Class`), a script, or a launcher"),
    Row("entrypoint", "script", SERVED, STEPS, "a script that calls `fit`"),
    Row("", "entrypoints", SERVED, STEPS),
    Row(
        "entrypoints",
        "trial_class data_loaders_function download_data_function",
        SERVED,
        STEPS,
        "the trial and its functions",
    ),
    Row("", "data", SERVED, ALL, "read by the trial; its keys are the trial's own"),
    Row("", "hyperparameters", SERVED, ALL, "names and groups are the trial's own"),
    Row("hyperparameters.NAME", "type val vals minval maxval base", SERVED, ALL, "one sample"),
    Row(
        "hyperparameters.NAME", "count", SERVED, ALL, "points in a grid search; no effect otherwise"
    ),
    Row("", "searcher", SERVED),
    Row("searcher", "name", SERVED, ALL, "how the hyperparameters of the one trial are chosen"),
    Row("searcher", "metric smaller_is_better", SERVED, ALL, "select the best checkpoint"),
    Row("searcher", "max_length", SERVED, CURRENT, "the length of the trial"),
    Row("searcher", "max_steps", SERVED, STEPS, "the length of the trial in steps"),
    Row("searcher", "target_trial_steps", SERVED, STEPS, "the same, for adaptive searches"),
    Row("searcher", "num_rounds steps_per_round length_per_round", SERVED, ALL, "length of `pbt`"),
    Row(
        "searcher",
        "source_checkpoint_uuid",
        SERVED,
        ALL,
        "like `--from-checkpoint`; looked up in the storage",
    ),
    Row("searcher", "source_trial_id", REFUSED, ALL, "only a cluster knows trials by ID"),
    Row(
        "searcher",
        "max_trials max_concurrent_trials max_rungs num_rungs bracket_rungs divisor mode "
        "stop_once max_time time_metric budget step_budget train_stragglers population_size "
        "explore_function replace_function",
        SEARCH,
        ALL,
        "the size of a search",
    ),
    Row(
        "",
        "min_validation_period min_checkpoint_period",
        SERVED,
        ALL,
        "when to validate and checkpoint",
    ),
    Row("", "perform_initial_validation", SERVED, CURRENT, "validates before the first batch"),
    Row("", "checkpoint_policy", SERVED, ALL, "which validations write a checkpoint"),
    Row("", "batches_per_step", SERVED, STEPS, "batches per step and report"),
    Row("", "scheduling_unit", SERVED, CURRENT, "batches per report"),
    Row("", "records_per_epoch", SERVED, CURRENT, "the length of an epoch"),
    Row("", "max_restarts", PROCESSES, ALL, "restarts of failed processes"),
    Row("", "reproducibility", SERVED),
    Row("reproducibility", "experiment_seed", SERVED, ALL, "the seed of the trial, 0 by default"),
    Row("", "resources", SERVED),
    Row("resources", "slots_per_trial", SERVED, ALL, "processes that train, with Horovod"),
    Row(
        "resources",
        "agent_label devices distributed is_single_node max_slots native_parallel priority "
        "resource_pool shm_size slots weight",
        CLUSTER,
    ),
    Row("", "optimizations", SERVED),
    Row(
        "optimizations",
        "aggregation_frequency average_aggregated_gradients average_training_metrics "
        "gradient_compression",
        PROCESSES,
        ALL,
        "how gradients and metrics are averaged",
    ),
    Row(
        "optimizations",
        "auto_tune_tensor_fusion grad_updates_size_file mixed_precision tensor_fusion_cycle_time "
        "tensor_fusion_threshold",
        CLUSTER,
    ),
    Row("", "checkpoint_storage", SERVED),
    Row(
        "checkpoint_storage",
        "save_experiment_best save_trial_best save_trial_latest",
        SERVED,
        ALL,
        "how many checkpoints to keep",
    ),
    Row("checkpoint_storage", "type", SERVED, CURRENT, "where checkpoints are copied to"),
    Row(
        "checkpoint_storage",
        "host_path storage_path container_path bucket prefix access_key secret_key endpoint_url "
        "container connection_string account_url credential",
        SERVED,
        CURRENT,
        "settings of each type; not used for a config in steps",
    ),
    Row(
        "checkpoint_storage",
        "checkpoint_path tensorboard_path propagation hdfs_url hdfs_path user",
        CLUSTER,
    ),
    Row("", "environment", CLUSTER, ALL, "the packages of this machine are used"),
    Row("environment", "environment_variables", SERVED, ALL, "set before the trial is imported"),
    Row(
        "environment",
        "image force_pull_image registry_auth ports proxy_ports pod_spec "
        "add_capabilities drop_capabilities base_image keras tensorflow runtime_packages "
        "runtime_commands",
        CLUSTER,
    ),
    Row("", "profiling", CLUSTER, CURRENT),
    Row("profiling", "enabled begin_on_batch end_after_batch sync_timings", CLUSTER, CURRENT),
    Row(
        "",
        "bind_mounts",
        SERVED,
        ALL,
        "a container path that does not exist here becomes its host path",
    ),
    Row("", "debug internal", CLUSTER),
    Row("", "data_layer", CLUSTER, CURRENT, "removed in 0.19.10; datasets are not cached on disk"),
    Row(
        "",
        "integrations log_policies log_retention_days pbs preemption_timeout retention_policy "
        "security slurm tensorboard_storage",
        CLUSTER,
        CURRENT,
    ),
)

#: What a run does with each key, by its dotted path.
EFFECTS = {path: row.effect for row in ROWS for path in row.paths}

#: The keys of each type of hyperparameter.
HYPERPARAMETERS = {
    "const": ("type", "val"),
    "int": ("type", "minval", "maxval", "count"),
    "double": ("type", "minval", "maxval", "count"),
    "log": ("type", "minval", "maxval", "base", "count"),
    "categorical": ("type", "vals"),
}

#: The keys that each type of ``checkpoint_storage`` uses.
STORAGE = {
    "shared_fs": ("host_path", "storage_path"),
    "directory": ("container_path",),
    "s3": ("bucket", "prefix", "access_key", "secret_key", "endpoint_url"),
    "gcs": ("bucket", "prefix"),
    "azure": ("container", "connection_string", "account_url", "credential"),
}

#: Top-level keys that a run accepts but does not use.
WITHOUT_EFFECT = {path for path in EFFECTS if EFFECTS[path] in (CLUSTER, LABEL) and "." not in path}


def names_in(section: str) -> list[str]:
    """Return the known keys of a section, or of the top level; empty if any key is allowed."""
    return [name for row in ROWS if row.section == section for name in row.names.split()]


def with_effect(section: str, effect: Effect) -> Iterator[str]:
    """Yield the known keys of a section that have this effect."""
    return (name for name in names_in(section) if EFFECTS[f"{section}.{name}"] is effect)
