"""Configs of every generation, read into one model; bad ones refused in one line."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pedl2det_runtime.config import yaml12
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.config.hparams import sample_hparams
from pedl2det_runtime.config.lengths import Length
from pedl2det_runtime.config.reader import read_config
from pedl2det_runtime.errors import ConfigError

LEGACY = """\
description: old
hyperparameters:
  learning_rate: 1e-4
  batch_size: 32
searcher:
  name: single
  metric: val_loss
  max_steps: 50
min_validation_period: 10
"""


def read(tmp_path: Path, text: str, *overrides: str) -> ExperimentConfig:
    path = tmp_path / "const.yaml"
    path.write_text(text)
    return read_config(path, overrides)


LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefghij", "bcdefghijk", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        LAUGHS.replace("[x, x]", "{x: 1}").replace(" [", " {<<: [").replace("]\n", "]}\n"),
        f"{LAUGHS}? *k\n: 1\n",
        "a: &a [*a]\n",
        "a: &a {b: *a}\n",
        "a: &a {<<: *a}\n",
        f"a: {'[' * 9000}{']' * 9000}\n",
    ],
)
def test_a_config_that_stands_for_too_much_is_refused(text: str, tmp_path: Path) -> None:
    """In a tenth of the memory that it would take, and at once."""
    _, before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, before))
    began = time.monotonic()
    try:
        with pytest.raises(ConfigError, match=r"const.yaml: .* expand to too many values or to"):
            read(tmp_path, LEGACY + text)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, before))
    assert time.monotonic() - began < 10


def test_a_pipe_is_no_config(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "const.yaml")

    with pytest.raises(ConfigError, match=r"const.yaml: expected a file, found .* pipe or device"):
        read_config(tmp_path / "const.yaml", ())


def test_steps_become_batches(tmp_path: Path) -> None:
    config = read(tmp_path, LEGACY)

    assert config.training_batches(32) == 5000
    assert config.batches(config.min_validation_period, 32) == 1000
    assert config.batches(config.min_checkpoint_period, 32) == 0
    assert config.report_period == 100


def test_batches_per_step_scales_every_length(tmp_path: Path) -> None:
    config = read(tmp_path, LEGACY + "batches_per_step: 7\n")

    assert config.training_batches(32) == 350
    assert config.batches(config.min_validation_period, 32) == 70


@pytest.mark.parametrize(
    ("length", "batches"),
    [
        ({"batches": 9}, 9),
        ({"records": 100}, 3),
        ({"records": 5}, 1),
        ({"epochs": 2}, 20),
    ],
)
def test_current_lengths_become_batches(length: dict[str, int], batches: int) -> None:
    assert Length.model_validate(length).in_batches(32, records_per_epoch=320) == batches


@pytest.mark.parametrize(
    ("searcher", "setting"),
    [
        ("name: single, max_steps: 12", "searcher.max_steps=24"),
        ("name: adaptive, max_steps: 7, target_trial_steps: 5", "searcher.target_trial_steps=10"),
        ("name: single, max_length: {records: 640}", "searcher.max_length.records=1280"),
        ("name: grid, max_length: {epochs: 3}", "searcher.max_length.epochs=6"),
        ("name: pbt, num_rounds: 3, steps_per_round: 2", "searcher.max_steps=12"),
        (
            "name: pbt, num_rounds: 3, length_per_round: {batches: 9}",
            "searcher.max_length.batches=54",
        ),
    ],
)
def test_twice_the_length_is_set_by_the_key_of_the_config(
    searcher: str, setting: str, tmp_path: Path
) -> None:
    text = (
        "hyperparameters: {global_batch_size: 32}\nrecords_per_epoch: 320\n"
        f"searcher: {{metric: val_loss, {searcher}}}\n"
    )
    config = read(tmp_path, text)

    assert config.searcher.twice_the_length() == setting
    longer = read(tmp_path, text, setting)
    assert longer.training_batches(32) == 2 * config.training_batches(32)


def test_one_e_minus_four_is_a_float(tmp_path: Path) -> None:
    assert read(tmp_path, LEGACY).hyperparameters["learning_rate"] == 0.0001


def test_overrides_replace_single_values(tmp_path: Path) -> None:
    config = read(tmp_path, LEGACY, "hyperparameters.learning_rate=1e-2", "new.key=[1, 2]")

    assert config.hyperparameters["learning_rate"] == 0.01
    assert config.raw["new"] == {"key": [1, 2]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n- b\n", "const.yaml: expected a mapping of config keys, got list"),
        ("", "const.yaml: expected a mapping of config keys, got nothing"),
        ("a: [1\n", "const.yaml:2: not YAML"),
        ("a: 1\na: 2\n", "const.yaml:2: a: duplicate key"),
        (
            LEGACY.replace("50", "fifty"),
            "const.yaml:8: searcher.max_steps: expected a positive whole number of steps, "
            'got "fifty"',
        ),
        (LEGACY.replace("single", "grdi"), "const.yaml:6: searcher.name: expected 'single'"),
        (
            LEGACY.replace("  metric: val_loss\n", ""),
            "const.yaml:5: searcher.metric: this key is required",
        ),
        (
            LEGACY.replace("  max_steps: 50\n", ""),
            "const.yaml: searcher: expected max_length (or max_steps in a legacy config)",
        ),
        (
            LEGACY.replace("period: 10", "period: {batches: 1, epochs: 2}"),
            "const.yaml:9: min_validation_period: expected a mapping with one of batches, records",
        ),
        (
            LEGACY + "checkpoint_policy: worst\n",
            "const.yaml:10: checkpoint_policy: expected 'best', 'all' or 'none', got 'worst'",
        ),
    ],
)
def test_a_bad_config_is_refused_with_file_line_and_key(
    text: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, text)

    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_hyperparameters_are_drawn_by_the_seed(tmp_path: Path) -> None:
    text = LEGACY.replace(
        "  batch_size: 32",
        "  batch_size: {type: const, val: 32}\n"
        "  units: {type: int, minval: 1, maxval: 3}\n"
        "  rate: {type: log, minval: -3, maxval: -1, base: 10}\n"
        "  kind: {type: categorical, vals: [a, b]}",
    )
    drawn = [
        sample_hparams(read(tmp_path, text, f"reproducibility.experiment_seed={seed}"))
        for seed in range(60)
    ]

    assert {hparams["batch_size"] for hparams in drawn} == {32}
    assert {hparams["units"] for hparams in drawn} == {1, 2}, "a legacy maxval is excluded"
    assert {hparams["kind"] for hparams in drawn} == {"a", "b"}
    assert all(0.001 <= hparams["rate"] <= 0.1 for hparams in drawn)
    assert sample_hparams(read(tmp_path, text)) == sample_hparams(read(tmp_path, text))


def test_an_int_of_a_current_config_includes_its_maxval(tmp_path: Path) -> None:
    current = LEGACY.replace("min_validation_period: 10\n", "")
    text = current.replace("max_steps: 50", "max_length: {batches: 5}").replace(
        "batch_size: 32", "units: {type: int, minval: 1, maxval: 3}"
    )
    drawn = {
        sample_hparams(read(tmp_path, text, f"reproducibility.experiment_seed={seed}"))["units"]
        for seed in range(60)
    }

    assert drawn == {1, 2, 3}


@pytest.mark.parametrize(
    ("searcher", "expected"),
    [
        ("{name: grid, metric: m, max_steps: 5}", {1, 3}),
        ("{name: adaptive_simple, metric: m, max_length: {batches: 5}}", {1, 2}),
        ("{name: adaptive_asha, metric: m, max_length: {batches: 5}}", {1, 2, 3}),
    ],
)
def test_which_searches_include_the_maxval_of_an_int(
    tmp_path: Path, searcher: str, expected: set[int]
) -> None:
    text = (
        "hyperparameters: {units: {type: int, minval: 1, maxval: 3, count: 2}}\n"
        f"searcher: {searcher}\n"
    )
    drawn = {
        sample_hparams(read(tmp_path, text, f"reproducibility.experiment_seed={seed}"))["units"]
        for seed in range(60)
    }

    assert drawn == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_as_itself(value: float) -> None:
    for text in (repr(value), f"{value:e}", f"{value:.17e}".replace("e+", "e")):
        assert yaml12.parse(f"x: {text}").value["x"] == float(text)


@pytest.mark.parametrize("text", ["yes", "no", "on", "off", "12:30", "1_000", "2020-01-01"])
def test_what_only_yaml_1_1_takes_for_something_else_is_text(text: str) -> None:
    assert yaml12.parse(f"x: {text}").value == {"x": text}


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("bcx :#-\n"),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc", min_size=1), inner),
    max_leaves=20,
)


@given(st.dictionaries(st.text("abc", min_size=1), plain, min_size=1))
def test_what_pyyaml_writes_is_read_back(value: dict[str, object]) -> None:
    assert yaml12.parse(yaml.safe_dump(value)).value == value
