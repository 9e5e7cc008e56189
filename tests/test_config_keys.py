"""No key of a config is ignored silently: typos, keys without effect, searches."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pedl2det.analysis.experiment import GONE, HOOKED
from pedl2det_runtime.api.trial_info import TrialInfo, running
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.config.hparams import grid_size, sample_hparams
from pedl2det_runtime.config.keys import EFFECTS, STORAGE, Effect
from pedl2det_runtime.config.notices import notices, refuse_unsupported
from pedl2det_runtime.config.reader import config_from, local_config, read_config
from pedl2det_runtime.errors import ConfigError

CURRENT = """\
hyperparameters:
  global_batch_size: 4
  rate: 0.1
searcher:
  name: single
  metric: val_loss
  max_length: {batches: 5}
"""
STEPS = CURRENT.replace("max_length: {batches: 5}", "max_steps: 5")


def read(directory: Path, text: str, *overrides: str) -> ExperimentConfig:
    path = directory / "const.yaml"
    path.write_text(text)
    return read_config(path, overrides)


def said(config: ExperimentConfig, slots: int = 1) -> list[str]:
    return notices(config, sample_hparams(config), slots)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("  smaller_is_beter: false\n", "8: searcher.smaller_is_beter: .* smaller_is_better"),
        ("  max_trails: 3\n", "8: searcher.max_trails: unknown key: did you mean max_trials"),
        ("reproducibility: {experiment_sed: 3}\n", "8: reproducibility.* experiment_seed"),
        ("optimizations:\n  agregation_frequency: 4\n", "9: optimizations.* aggregation_frequency"),
        ("resources: {slots_per_tria: 2}\n", "8: resources.slots_per_tria: .* slots_per_trial"),
        ("checkpoint_storage: {save_trial_bets: 2}\n", "8: .*save_trial_bets: .* save_trial_best"),
    ],
)
@pytest.mark.parametrize("config", [CURRENT, STEPS])
def test_a_misspelled_key_of_a_section_is_refused(
    config: str, more: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=rf"const\.yaml:{message}\?$"):
        read(tmp_path, config + more)


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ("hyperparameters", "hyperparamters", "hyperparameters"),
        ("searcher", "seacher", "searcher"),
        ("metric", "metrc", "metric"),
        ("max_length", "max_lenght", "max_length"),
        ("0.1", "{type: log, minval: -2, maxval: 0, bas: 2}", "base"),
        ("0.1", "{typ: categorical, vals: [1]}", "type"),
        ("0.1", "{group: {tpye: int, minval: 0, maxval: 1}}", "type"),
    ],
)
def test_a_misspelled_key_is_named_rather_than_the_missing_one(
    old: str, new: str, meant: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=rf":\d: .*unknown key: did you mean {meant}\?"):
        read(tmp_path, CURRENT.replace(old, new))


@pytest.mark.parametrize(
    ("option", "meant"),
    [
        ("searcher.max_step=1", "max_steps"),
        ("min_validaton_period={batches: 1}", "min_validation_period"),
        ("experiment_seed=3", "reproducibility.experiment_seed"),
        ("rate=3", "hyperparameters.rate"),
        ("environment.imag=x", "image"),
    ],
)
def test_a_misspelled_option_is_refused(option: str, meant: str, tmp_path: Path) -> None:
    name = option.partition("=")[0]
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, CURRENT, option)
    assert str(refused.value) == f"--set {name}: unknown key: did you mean {meant}?"


def test_a_wrong_value_of_an_option_is_not_looked_for_in_the_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^--set searcher.max_steps: .* got \"fifty\""):
        read(tmp_path, STEPS, "searcher.max_steps=fifty")


def test_a_hyperparameter_that_only_an_option_has_is_named(tmp_path: Path) -> None:
    assert said(read(tmp_path, CURRENT, "hyperparameters.rates=1", "hyperparameters.rate=2")) == [
        "--set hyperparameters.rates: the config has no such hyperparameter (did you mean rate?); "
        "it is added"
    ]


@pytest.mark.parametrize(
    ("hparams", "option"),
    [
        ("rate: {type: int, minval: 0, maxval: 0}", "rate.count=1"),
        ("<<: {rate: 1}", "rate=1"),
    ],
)
def test_an_option_of_a_hyperparameter_that_the_config_has_adds_none(
    hparams: str, option: str, tmp_path: Path
) -> None:
    config = read(tmp_path, CURRENT.replace("rate: 0.1", hparams), f"hyperparameters.{option}")
    assert not any("no such hyperparameter" in line for line in said(config))


def test_a_hyperparameter_that_only_an_option_has_is_looked_for_in_its_group(
    tmp_path: Path,
) -> None:
    text = CURRENT.replace("0.1", "{inner: 1}")
    assert said(read(tmp_path, text, "hyperparameters.rate.iner=1")) == [
        "--set hyperparameters.rate.iner: the config has no such hyperparameter (did you mean "
        "inner?); it is added"
    ]


@pytest.mark.parametrize(
    "group",
    [
        "{dtype: float32, minval: 0, maxval: 1}",
        "{dtype: int, minval: 0, maxval: 1}",
        "{types: [a], vals: [1]}",
    ],
)
def test_a_group_may_have_keys_that_are_like_type(group: str, tmp_path: Path) -> None:
    config = read(tmp_path, CURRENT.replace("0.1", group))
    assert sample_hparams(config)["rate"].keys() == config.hyperparameters["rate"].keys()
    assert said(config) == []


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"searcher": "single"}, "^searcher: expected a mapping, got 'single'$"),
        ({"searcher": ["single"]}, "^searcher: expected a mapping"),
        ({"hyperparameters": None}, "^hyperparameters: expected a mapping, got None$"),
    ],
)
def test_a_section_in_code_that_is_no_mapping_is_refused(config: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        config_from(local_config(config))


def test_an_unknown_option_beside_malformed_hyperparameters(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="hyperparameters: expected a mapping, got 5"):
        read(tmp_path, CURRENT, "hyperparameters=5", "own=3")


def test_keys_of_the_trials_own_are_accepted(tmp_path: Path) -> None:
    own = "team: {name: vision}\nraw: 1\ndata: {max_step: 3}\nmax_step: 2\n"
    config = read(tmp_path, CURRENT.replace("rate: 0.1", "group: {minval: 1, maxval: 2}") + own)

    assert said(config) == [
        f"unknown config keys, not used: {tmp_path}/const.yaml:8: team, "
        f"{tmp_path}/const.yaml:9: raw, {tmp_path}/const.yaml:11: max_step"
    ]
    assert sample_hparams(config)["group"] == {"minval": 1, "maxval": 2}
    assert config.raw["raw"] == 1


@pytest.mark.parametrize(
    "variables",
    [
        "[FIRST=a b, 'SECOND=$FIRST=c']",
        "{FIRST: a b, SECOND: $FIRST=c}",
        "{cpu: [FIRST=a b, 'SECOND=$FIRST=c'], gpu: [FIRST=d]}",
    ],
)
def test_environment_variables_are_set_for_the_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: str
) -> None:
    monkeypatch.setenv("FIRST", "of the shell")
    monkeypatch.delenv("SECOND", raising=False)
    config = read(tmp_path, CURRENT + f"environment: {{environment_variables: {variables}}}\n")

    assert said(config) == ["environment variables set by the config: FIRST, SECOND"]
    with running(TrialInfo.of(config, tmp_path)):
        assert (os.environ["FIRST"], os.environ["SECOND"]) == ("a b", "a b=c")
    assert os.environ["FIRST"] == "of the shell"
    assert "SECOND" not in os.environ


def test_unknown_keys_without_effect_are_named_with_a_suggestion(tmp_path: Path) -> None:
    more = "environment: {imag: x}\nexperiment_seed: 3\n"
    assert said(read(tmp_path, CURRENT + more)) == [
        "no effect without a cluster: environment",
        f"unknown config keys, not used: {tmp_path}/const.yaml:8: environment.imag "
        f"(did you mean image?), {tmp_path}/const.yaml:9: experiment_seed "
        "(did you mean reproducibility.experiment_seed?)",
    ]


def test_a_start_from_a_trial_of_a_cluster_is_refused(tmp_path: Path) -> None:
    given = f"{CURRENT}  source_trial_id: 12\n"
    with pytest.raises(
        ConfigError, match=r"const.yaml:8: searcher.source_trial_id: only a cluster"
    ):
        refuse_unsupported(read(tmp_path, given))
    refuse_unsupported(read(tmp_path, given, "searcher.source_trial_id=null"))


def test_what_only_a_search_uses_is_named(tmp_path: Path) -> None:
    more = "  max_trials: 3\n  max_steps: 7\n"
    assert said(read(tmp_path, CURRENT + more)) == [
        "no effect in this config: searcher.max_steps (the trial has another length), "
        "searcher.max_trials (of a whole search)"
    ]


def test_a_stray_max_steps_does_not_shorten_an_adaptive_search(tmp_path: Path) -> None:
    text = STEPS.replace("single", "adaptive") + "  target_trial_steps: 8\n  step_budget: 80\n"
    config = read(tmp_path, text)

    assert config.training_batches(4) == 800
    assert "searcher.max_steps (the trial has another length)" in said(config)[-1]


def test_keys_of_another_storage_are_named(tmp_path: Path) -> None:
    storage = "checkpoint_storage: {type: shared_fs, host_path: /d, bucket: b, propagation: x}\n"
    assert said(read(tmp_path, CURRENT + storage)) == [
        "no effect without a cluster: checkpoint_storage.propagation",
        "no effect in this config: checkpoint_storage.bucket (of another type than shared_fs)",
    ]


def test_hdfs_is_refused_where_the_storage_is_used(tmp_path: Path) -> None:
    storage = "checkpoint_storage: {type: hdfs, hdfs_url: x, hdfs_path: y}\n"
    with pytest.raises(ConfigError, match="hdfs is not supported: expected shared_fs"):
        read(tmp_path, CURRENT + storage)
    assert "checkpoint_storage.type (checkpoints are in" in said(read(tmp_path, STEPS + storage))[0]


def test_several_processes_do_not_hide_unused_optimizations(tmp_path: Path) -> None:
    more = "optimizations: {aggregation_frequency: 2, mixed_precision: O1}\nmax_restarts: 2\n"
    assert said(read(tmp_path, CURRENT + more), slots=2) == [
        "no effect without a cluster: optimizations.mixed_precision"
    ]


GRID = """\
hyperparameters:
  batch_size: 4
  dropout: {type: double, minval: 0.0, maxval: 0.5, count: 3}
  size: {type: int, minval: 1, maxval: 4, count: 3}
  few: {type: int, minval: 1, maxval: 2, count: 9}
  each: {type: int, minval: 1, maxval: 3}
  middle: {type: double, minval: 1, maxval: 2, count: 1}
  inner: {rate: {type: log, minval: -4, maxval: -2, base: 10, count: 3}}
  kind: {type: categorical, vals: [a, b]}
searcher: {name: grid, metric: val_loss, max_steps: 1}
"""


def test_a_point_of_a_grid_is_on_the_grid(tmp_path: Path) -> None:
    drawn = [
        sample_hparams(read(tmp_path, GRID, f"reproducibility.experiment_seed={seed}"))
        for seed in range(60)
    ]
    values = {name: {hparams[name] for hparams in drawn} for name in drawn[0] if name != "inner"}

    assert values == {
        "batch_size": {4},
        "dropout": {0.0, 0.25, 0.5},
        "size": {1, 3, 4},  # 2.5 is rounded up, as Determined does
        "few": {1, 2},
        "each": {1, 2, 3},
        "middle": {1.5},
        "kind": {"a", "b"},
    }
    assert {hparams["inner"]["rate"] for hparams in drawn} == {1e-4, 1e-3, 1e-2}
    assert grid_size(read(tmp_path, GRID)) == 3 * 3 * 2 * 3 * 3 * 2


def test_a_run_says_which_trial_of_a_search_it_trains(tmp_path: Path) -> None:
    text = CURRENT.replace("0.1", "{type: categorical, vals: [7]}")
    grid, asha = text.replace("single", "grid"), text.replace("single", "adaptive_asha")
    choice = (
        "rate=7 (by reproducibility.experiment_seed); choose others with --set "
        "hyperparameters.rate=VALUE"
    )

    assert said(read(tmp_path, grid)) == [
        "searcher grid: `run` trains one of the 1 points, not the whole search "
        f"(`pedl2det search`): {choice}"
    ]
    assert said(read(tmp_path, f"{asha}  max_trials: 4\n")) == [
        "searcher adaptive_asha: `run` trains one trial, not the whole search "
        f"(`pedl2det search`): {choice}",
        "no effect in this config: searcher.max_trials (of a whole search)",
    ]
    assert said(read(tmp_path, text)) == [f"searcher single: `run` trains one trial: {choice}"]
    assert said(read(tmp_path, grid, "hyperparameters.rate=8")) == [
        "searcher grid: `run` trains one of the 1 points, not the whole search (`pedl2det search`)"
    ]


def test_numbers_of_a_config_in_python_may_be_of_numpy() -> None:
    specs = {
        "units": {"type": "int", "minval": np.int64(2), "maxval": np.int32(2)},
        "rate": {"type": "double", "minval": np.float32(0.5), "maxval": np.float64(0.5)},
        "kind": {"type": "categorical", "vals": ("a",)},
    }
    hparams = sample_hparams(config_from({**MINIMAL, "hyperparameters": specs}))
    assert hparams == {"units": 2, "rate": 0.5, "kind": "a"}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("{type: int, minval: 5, maxval: 1}", "expected numbers, minval up to maxval, got 5 and 1"),
        ("{type: double, minval: a, maxval: 1}", "minval up to maxval, got 'a' and 1"),
        ("{type: int, minval: 1.5, maxval: 2}", "expected a whole number, got 1.5"),
        ("{type: double, minval: 1, maxval: 2}", "double needs count in a grid"),
        ("{type: double, minval: 1, maxval: 2, count: 0}", "expected a whole number from 1 to"),
        ("{type: int, minval: 1, maxval: 99999999999}", "whole number from 1 to 100000 as count"),
        ("{type: categorical, vals: []}", r"expected a list of values as vals, got \[\]"),
        ("{type: log, minval: 1, maxval: 999, count: 2}", "too large for a float"),
        ("{type: adam}", "unknown type 'adam': expected const, int, double, log or categorical"),
    ],
)
def test_a_wrong_hyperparameter_is_refused_at_its_line(
    spec: str, message: str, tmp_path: Path
) -> None:
    config = read(tmp_path, CURRENT.replace("0.1", spec).replace("single", "grid"))
    with pytest.raises(ConfigError, match=rf"const.yaml:3: hyperparameters.rate: .*{message}"):
        sample_hparams(config)


#: The keys of a config by section, as Determined 0.38.1 documents them; it rejects all others.
ACCEPTED = {
    "": "bind_mounts checkpoint_policy checkpoint_storage data debug description entrypoint "
    "environment hyperparameters integrations internal labels log_policies log_retention_days "
    "max_restarts min_checkpoint_period min_validation_period name notes optimizations pbs "
    "perform_initial_validation preemption_timeout profiling project records_per_epoch "
    "reproducibility resources retention_policy scheduling_unit searcher security slurm "
    "tensorboard_storage workspace",
    "environment.": "add_capabilities drop_capabilities environment_variables force_pull_image "
    "image pod_spec ports proxy_ports registry_auth",
    "optimizations.": "aggregation_frequency auto_tune_tensor_fusion average_aggregated_gradients "
    "average_training_metrics grad_updates_size_file gradient_compression mixed_precision "
    "tensor_fusion_cycle_time tensor_fusion_threshold",
    "reproducibility.": "experiment_seed",
    "resources.": "agent_label devices is_single_node max_slots native_parallel priority "
    "resource_pool shm_size slots slots_per_trial weight",
    "searcher.": "bracket_rungs divisor max_concurrent_trials max_length max_rungs max_time "
    "max_trials metric mode name num_rungs smaller_is_better source_checkpoint_uuid "
    "source_trial_id stop_once time_metric",
}
#: Keys that only searchers of old had.
OLD_SEARCHERS = (
    "budget explore_function length_per_round max_steps num_rounds population_size "
    "replace_function step_budget steps_per_round target_trial_steps train_stragglers"
)


def test_the_table_has_every_key_that_determined_accepts() -> None:
    listed = {**ACCEPTED, "searcher.": f"{ACCEPTED['searcher.']} {OLD_SEARCHERS}"}
    accepted = {f"{part}{name}" for part, names in listed.items() for name in names.split()}
    accepted |= {".".join(path) for path in (*GONE, *HOOKED)}
    accepted |= {f"checkpoint_storage.{name}" for names in STORAGE.values() for name in names}
    sections = {path.partition(".")[0] for path in EFFECTS}

    assert accepted - {*EFFECTS, *sections} == set()


def test_what_the_table_calls_served_is_read() -> None:
    """Each field of the model is in the table, with an effect."""
    fields = ExperimentConfig.model_fields
    sections = ("searcher", "resources", "optimizations", "reproducibility")
    paths = {*fields} | {
        f"{name}.{key}"
        for name in sections
        for key in type(getattr(config_from(MINIMAL), name)).model_fields
    }

    assert {path for path in paths if EFFECTS[path] in (Effect.CLUSTER, Effect.LABEL)} == set()


MINIMAL = {
    "hyperparameters": {},
    "searcher": {"name": "single", "metric": "m", "max_length": {"batches": 1}},
}
