"""Experiment configs of every generation, converted to what Determined accepts."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pedl2det.analysis.config import Config
from pedl2det.analysis.text_rules import ConfigFacts, TextResult
from pedl2det.findings import Kind
from pedl2det.texts.configs import migrate_config
from pedl2det_runtime.config.reader import read_config

HEAD = "entrypoint: model_def:T\nhyperparameters: {}\n"
SINGLE = "searcher: {name: single, metric: val_loss, max_length: {batches: 100}}\n"
STEPS = "searcher: {name: single, metric: val_loss, max_steps: 10}\n"

PEDL = """\
# The first experiment.
description: digits
data: {url: https://x/y}
hyperparameters:
  learning_rate: 1e-3  # low
  units: {type: int, minval: 8, maxval: 64}
  batch_size:
    type: categorical
    vals: [16, 32]
searcher:
  name: adaptive
  metric: val_acc
  smaller_is_better: false
  mode: aggressive
  target_trial_steps: 64
  step_budget: 700
  max_steps: 100
  train_stragglers: true
  bracket_rungs: [2, 3]
batches_per_step: 50
min_validation_period: 2
min_checkpoint_period: 4
environment:
  tensorflow: 1.14.0
  runtime_packages:
    - pandas==0.25.3
    - 'git+https://ada:secret@host/tools'
resources:
  slots_per_trial: 4
  distributed: true
max_restarts: 0
"""
PEDL_NOW = """\
# The first experiment.
description: digits
data: {url: https://x/y}
hyperparameters:
  learning_rate: 1.0e-3  # low
  units: {type: int, minval: 8, maxval: 63}
  global_batch_size:
    type: categorical
    vals: [16, 32]
searcher:
  name: adaptive_asha
  metric: val_accuracy
  smaller_is_better: false
  mode: aggressive
  max_length:
    batches: 3200
  max_trials: 10
  bracket_rungs: [2, 3]
scheduling_unit: 50
min_validation_period:
  batches: 100
min_checkpoint_period:
  batches: 200
# startup-hook.sh: pip install pandas==0.25.3 git+https://ada:secret@host/tools
resources:
  slots_per_trial: 4
max_restarts: 0
entrypoint: model_def:T
"""
FACTS = ConfigFacts(entrypoint="model_def:T", metric_renames={"val_acc": "val_accuracy"})


def migrated(text: str, **facts: Any) -> TextResult:
    return migrate_config(text, ConfigFacts(**{"entrypoint": "model_def:T"} | facts))


def left(result: TextResult) -> list[str]:
    return [finding.message for finding in result.findings if finding.kind is Kind.LEFT]


def test_a_whole_config_of_pedl() -> None:
    result = migrate_config(PEDL, FACTS)

    assert result.text == PEDL_NOW
    assert left(result) == []
    assert {change.rule for change in result.changes} == {
        *("C101", "C102", "C103", "C104", "C105", "C106", "C108", "C109")
    }


def test_each_change_names_its_line_of_the_old_config() -> None:
    lines = PEDL.split("\n")
    changes = migrate_config(PEDL, FACTS).changes

    found = {(one.rule, lines[one.line - 1].split(":")[0].strip()) for one in changes[:-1]}
    assert {("C104", "learning_rate"), ("C101", "batch_size"), ("C109", "distributed")} <= found
    assert {("C102", "min_validation_period"), ("C108", "step_budget")} <= found


@pytest.mark.parametrize("image", ["a:tf-1.14-cpu", "{cpu: a:tf-2.4-cpu, gpu: a:tf-2.4-gpu}"])
def test_an_image_that_is_too_old_for_rewritten_code_is_removed(image: str) -> None:
    text = f"entrypoint: model_def:T\nenvironment:\n  image: {image}\nhyperparameters: {{}}\n"
    text += "searcher: {name: single, metric: val_loss, max_length: {batches: 5}}\n"
    result = migrated(text, is_rewritten=True)

    assert "image" not in result.text
    (note,) = [finding.message for finding in result.findings if finding.rule == "C109"]
    assert note.startswith("environment.image was a:tf-")
    assert "image" in migrated(text).text
    assert "image" in migrated(re.sub(r"tf-\d.\d+", "tf-2.15", text), is_rewritten=True).text


def test_credentials_are_not_repeated_in_messages() -> None:
    result = migrate_config(PEDL, FACTS)

    assert "secret" not in repr(result.findings)
    assert "secret" not in repr(result.changes)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_and_the_byte_order_mark_stay(newline: str, bom: str, tmp_path: Path) -> None:
    file = tmp_path / "const.yaml"
    file.write_bytes((bom + PEDL.replace("\n", newline)).encode())
    config = Config.read(file)

    new = migrate_config(config.text, FACTS).text.encode(config.encoding)

    assert new.decode() == bom + PEDL_NOW.replace("\n", newline)


def test_a_second_run_changes_nothing() -> None:
    again = migrate_config(PEDL_NOW, FACTS)

    assert (again.text, again.changes, again.findings) == (PEDL_NOW, (), ())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{name: single, max_steps: 3}", "{name: single, max_length: {batches: 300}}"),
        (
            "{name: random, max_steps: 3, max_trials: 4, mode: standard}",
            "{name: random, max_length: {batches: 300}, max_trials: 4}",
        ),
        (
            "{name: single, max_steps: 3, max_trials: 4}",
            "{name: single, max_length: {batches: 300}}",
        ),
        (
            "{name: adaptive_simple, max_steps: 40, max_trials: 16, mode: conservative, divisor: 3,"
            " max_rungs: 4}",
            "{name: adaptive_asha, max_length: {batches: 4000}, max_trials: 16, mode: conservative,"
            " divisor: 3, max_rungs: 4}",
        ),
        (
            "{name: adaptive, target_trial_steps: 800, step_budget: 4800}",
            "{name: adaptive_asha, max_length: {batches: 80000}, max_trials: 6}",
        ),
        (
            "{name: adaptive, target_trial_steps: 8, step_budget: 5}",
            "{name: adaptive_asha, max_length: {batches: 800}, max_trials: 1}",
        ),
        (
            "{name: async_halving, num_rungs: 3, target_trial_steps: 8, max_trials: 9}",
            "{name: async_halving, num_rungs: 3, max_length: {batches: 800}, max_trials: 9}",
        ),
        (
            "{name: sync_halving, num_rungs: 2, target_trial_steps: 3, step_budget: 30,"
            " train_stragglers: false}",
            "{name: async_halving, num_rungs: 2, max_length: {batches: 300}, max_trials: 10}",
        ),
        (
            "{name: adaptive_simple, max_length: {batches: 1200}, max_trials: 16}",
            "{name: adaptive_asha, max_length: {batches: 1200}, max_trials: 16}",
        ),
        (
            "{name: adaptive_asha, max_length: {records: 9}, max_trials: 2, stop_once: true}",
            "{name: adaptive_asha, max_length: {records: 9}, max_trials: 2, stop_once: true}",
        ),
    ],
)
def test_searches(old: str, new: str) -> None:
    rest = f"{HEAD}records_per_epoch: 640\n"
    result = migrated(f"{rest}searcher: {old.replace('{name', '{metric: m, name')}\n")

    assert result.text == f"{rest}searcher: {new.replace('{name', '{metric: m, name')}\n"
    assert left(result) == []


def test_a_search_that_is_not_the_same_is_said_to_differ() -> None:
    result = migrate_config(PEDL, FACTS)

    different = [one.message for one in result.findings if one.kind is Kind.DIFFERENT]
    assert any("adaptive_asha stops trials as they report" in one for one in different)
    assert any("max_trials: 10 is an estimate: the budget divided by" in one for one in different)


PBT = """\
hyperparameters:
  batch_size: 32
  units: {type: int, minval: 1, maxval: 9}
searcher:
  name: pbt
  metric: val_loss
  population_size: 16
  num_rounds: 5
  steps_per_round: 2
batches_per_step: 10
min_validation_period: 2
entrypoint: model_def:T
"""


def test_a_population_is_named_and_holds_up_nothing() -> None:
    """Such a search trains nowhere; the other configs of its trial do."""
    result = migrated(PBT)

    assert not left(result)
    (said,) = (finding for finding in result.findings if finding.rule == "C108")
    assert said.kind is Kind.NOTE and "does not run until it is changed" in said.message


@pytest.mark.parametrize(
    ("searcher", "says"),
    [
        ("{name: grdi, metric: m, max_steps: 3}", "unknown searcher grdi"),
        ("{metric: m, max_steps: 3}", "searcher: has no name"),
        ("{name: single, metric: m, max_steps: fifty}", "expected a positive whole number"),
        ("{name: single, metric: m, max_steps: 0}", "expected a positive whole number"),
        (
            "{name: adaptive, metric: m, max_length: {batches: 2}, budget: {batches: 9}}",
            "gives no number of trials",
        ),
    ],
)
def test_a_search_that_is_left_stays(searcher: str, says: str) -> None:
    text = f"{HEAD}searcher: {searcher}\n"
    result = migrated(text)

    assert says in left(result)[0]
    assert result.text == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("batch_size: 32", "global_batch_size: 32"),
        (
            "batch_size: {type: int, minval: 16, maxval: 64}",
            "global_batch_size: {type: int, minval: 16, maxval: 63}",
        ),
        ("batch_size: 1, global_batch_size: 2", "batch_size: 1, global_batch_size: 2"),
        ("a: 1e-4, b: 2E5, c: 3.e1, d: -1.5e+3", "a: 1.0e-4, b: 2.0e+5, c: 3.0e+1, d: -1.5e+3"),
        ("a: '1e-4', b: 1.0e-4, c: !!str 1e-4", "a: '1e-4', b: 1.0e-4, c: !!str 1e-4"),
        ("a: [1e-4, {b: 1e-5}]", "a: [1.0e-4, {b: 1.0e-5}]"),
        (
            "net: {units: {type: int, minval: 1, maxval: 9}}",
            "net: {units: {type: int, minval: 1, maxval: 8}}",
        ),
        ("u: {type: int, minval: -3, maxval: -1}", "u: {type: int, minval: -3, maxval: -2}"),
        ("u: {type: int, minval: 2.0, maxval: 1e2}", "u: {type: int, minval: 2.0, maxval: 99}"),
        ("u: {type: int, minval: 1e1, maxval: 1e2}", "u: {type: int, minval: 1.0e+1, maxval: 99}"),
        (
            "u: {type: log, minval: -4, maxval: -2}",
            "u: {type: log, minval: -4, maxval: -2, base: 10.0}",
        ),
        ("u: {type: double, minval: 0, maxval: 9}", "u: {type: double, minval: 0, maxval: 9}"),
    ],
)
def test_hyperparameters(old: str, new: str) -> None:
    rest = "entrypoint: model_def:T\nsearcher: {name: random, metric: m, max_trials: 2, "
    result = migrated(f"{rest}max_steps: 1}}\nhyperparameters: {{{old}}}\n")

    assert result.text == f"{rest}max_length: {{batches: 100}}}}\nhyperparameters: {{{new}}}\n"


def test_a_range_of_one_number_is_that_number() -> None:
    start = f"{STEPS}entrypoint: model_def:T\nhyperparameters: "
    result = migrated(f"{start}{{u: {{type: int, minval: 4, maxval: 5}}}}\n")

    assert result.text.endswith("hyperparameters: {u: {type: categorical, vals: [4]}}\n")
    assert not left(result)


@pytest.mark.parametrize("bounds", ["minval: 4, maxval: 4", "maxval: 4"])
def test_a_range_without_a_number_is_left(bounds: str) -> None:
    text = f"{STEPS}entrypoint: model_def:T\nhyperparameters: {{u: {{type: int, {bounds}}}}}\n"
    result = migrated(text)

    assert bounds in result.text
    (message,) = left(result)
    assert message.startswith("hyperparameters.u")
    if "minval" in bounds:
        assert [one.help for one in result.findings] == ["u: {type: const, val: 4}"]


@pytest.mark.parametrize(
    "searcher",
    [
        "{name: grid, metric: m, max_steps: 5}",
        "{name: random, metric: m, max_trials: 2, max_length: {batches: 5}}",
        "{name: adaptive_asha, metric: m, max_trials: 2, max_length: {batches: 5}}",
    ],
)
def test_a_bound_that_was_included_stays(searcher: str) -> None:
    units = "hyperparameters: {u: {type: int, minval: 1, maxval: 9, count: 3}}\n"

    assert units in migrated(f"{units}searcher: {searcher}\n").text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "entrypoint: model_def:T\n"),
        ("entrypoint:\n", "entrypoint: model_def:T\n"),
        ("entrypoint: {script: train.py}  # alone\n", "entrypoint: model_def:T  # alone\n"),
        ("entrypoint:\n  script: train.py\n", "entrypoint: model_def:T\n"),
        (
            "entrypoints:\n  trial_class: trial:T\n  data_loaders_function: d:f\n",
            "entrypoint: model_def:T\n",
        ),
        ("entrypoint: :T\n", "entrypoint: model_def:T\n"),
        ("entrypoint: other:U\n", "entrypoint: other:U\n"),
        ("entrypoint: [python, train.py]\n", "entrypoint: [python, train.py]\n"),
    ],
)
def test_entrypoints(old: str, new: str) -> None:
    result = migrated(f"{old}hyperparameters: {{}}\n{SINGLE}")

    assert sorted(result.text.splitlines()) == sorted(
        f"{new}hyperparameters: {{}}\n{SINGLE}".splitlines()
    )
    assert left(result) == []


def test_entrypoints_name_the_trial_where_nobody_else_does() -> None:
    result = migrated(f"{SINGLE}entrypoints: {{trial_class: 'a:B'}}\n", entrypoint=None)

    assert result.text == f"{SINGLE}entrypoint: a:B\n"


@pytest.mark.parametrize(
    ("text", "entrypoint", "says"),
    [
        (
            "entrypoints: {trial_class: a:B}\n",
            "a:C",
            "is not the one trial of this config: a:B",
        ),
        ("entrypoint: {script: t.py, args: x}\n", "t:T", "or more than a script"),
        ("entrypoint: {script: t.py}\n", None, "names a script, from which no trial was made"),
        (
            "entrypoint: a:B\nentrypoints: {trial_class: a:B}\n",
            "a:B",
            "is not the one trial of this config",
        ),
    ],
)
def test_an_entrypoint_that_is_left(text: str, entrypoint: str | None, says: str) -> None:
    result = migrated(f"{SINGLE}{text}", entrypoint=entrypoint)

    assert says in left(result)[0]


def test_a_script_gets_its_batch_size_once_for_each_slot() -> None:
    text = f"entrypoint: {{script: t.py}}\n{SINGLE}resources: {{slots_per_trial: 4}}\n"
    result = migrated(f"{text}hyperparameters:\n  a: 1\n", batch_size=16)

    assert result.text.endswith("hyperparameters:\n  a: 1\n  global_batch_size: 64\n")
    assert migrated(result.text, batch_size=64).text == result.text


def test_a_script_without_hyperparameters_gets_them() -> None:
    result = migrated(f"entrypoint: {{script: t.py}}\n{SINGLE}", batch_size=16)

    assert result.text.endswith("hyperparameters: {global_batch_size: 16}\n")


def test_a_batch_size_of_the_config_stays() -> None:
    """Another config of the script may have none."""
    text = f"entrypoint: {{script: t.py}}\nhyperparameters:\n  batch_size: 8\n{SINGLE}"

    assert "  global_batch_size: 8\n" in migrated(text, batch_size=16).text


def test_keys_are_added_to_a_mapping_and_to_its_last_value() -> None:
    text = (
        f"entrypoint: {{script: t.py}}\n{SINGLE}hyperparameters:\n"
        "  rate:\n    type: log\n    minval: -4\n    maxval: -2\n"
    )

    assert migrated(text, batch_size=16).text.endswith(
        "    maxval: -2\n    base: 10.0\n  global_batch_size: 16\n"
    )


@pytest.mark.parametrize("period", ["0", "4", "{batches: 5}", "{epochs: 1}", ""])
def test_periods(period: str) -> None:
    text = f"{HEAD}{STEPS}records_per_epoch: 9\nmin_checkpoint_period: {period}\n"
    expected = {"0": {"batches": 0}, "4": {"batches": 400}, "": None}

    value = yaml.safe_load(migrated(text).text)["min_checkpoint_period"]

    assert value == expected.get(period, yaml.safe_load(period))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("environment: {tensorflow: 1.14.0, image: x}\n", "environment: {image: x}\n"),
        ("environment:\n  keras: 2.2.4\n  tensorflow: 1.14\n", ""),
        (
            "environment:\n  image: x\n  runtime_commands:\n    - apt-get update\n    - |\n"
            "      a\n      b\n",
            "environment:\n  image: x\n  # startup-hook.sh: apt-get update\n"
            "  # startup-hook.sh: a b\n",
        ),
        (
            "resources: {native_parallel: true, slots_per_trial: 2}\n",
            "resources: {slots_per_trial: 2}\n",
        ),
        ("data_layer:\n  type: s3\n  secret_key: x\nlabels: [a]\n", "labels: [a]\n"),
        (
            "optimizations: {wrong: 1, mixed_precision: O1}\n",
            "optimizations: {mixed_precision: O1}\n",
        ),
    ],
)
def test_keys_that_are_rejected_go(old: str, new: str) -> None:
    text = f"{HEAD}{STEPS}"

    result = migrated(text + old)

    assert result.text == migrated(text).text + new


def test_own_sections_stay_and_are_named_for_a_cluster() -> None:
    text = f"{HEAD}{STEPS}team: {{owner: ada}}\n"
    here, there = migrated(text), migrated(text, cluster=True)

    assert here.text.endswith("team: {owner: ada}\n")
    assert here.findings == ()
    assert there.text == here.text
    assert len(left(there)) == 1


def test_keys_that_may_be_newer_than_this_tool_stay() -> None:
    text = (
        "entrypoint: m:T\nhyperparameters: {}\nfuture: 1\n"
        "searcher: {name: single, metric: m, max_length: {batches: 5}, future: 1}\n"
        "resources: {future: 1}\n"
    )

    assert migrated(text) == TextResult(text)
    assert len(left(migrated(text, cluster=True))) == 3


def test_a_config_with_a_change_behind_an_anchor_is_written_anew() -> None:
    text = (
        "defaults: &defaults\n  batch_size: 32\n  rate: 1e-3  # fast\nhyperparameters:\n"
        f"  <<: *defaults\n  units: 4\n{STEPS}entrypoint: m:T\n"
    )
    result = migrated(text)

    assert result.text == (
        "defaults:\n  batch_size: 32\n  rate: 1.0e-3\nhyperparameters:\n"
        "  global_batch_size: 32\n  rate: 1.0e-3\n  units: 4\n"
        "searcher: {name: single, metric: val_loss, max_length: {batches: 1000}}\n"
        "entrypoint: m:T\n"
    )
    assert migrated(result.text).text == result.text
    assert "without its comments" in result.findings[0].message
    assert left(result) == []


def test_json() -> None:
    text = (
        '{"hyperparameters": {"batch_size": 32, "rate": 1e-3},\n'
        ' "environment": {"keras": "2.2.4"},\n'
        ' "searcher": {"name": "single", "metric": "val_loss", "max_steps": 5}}\n'
    )
    result = migrated(text)

    assert result.text == (
        '{"hyperparameters": {"global_batch_size": 32, "rate": 1.0e-3},\n'
        ' "searcher": {"name": "single", "metric": "val_loss", "max_length": {"batches": 500}}, '
        '"entrypoint": "model_def:T"}\n'
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hyperparameters: {a: 1\nsearcher: {}\n", "not YAML"),
        (f"{HEAD}hyperparameters: {{}}\n{SINGLE}", "the key hyperparameters is there twice"),
        (f"{HEAD}{SINGLE}---\na: 1\n", "not YAML"),
        ("searcher: &a [*a]\nhyperparameters: {}\n", "aliases of aliases"),
        (f"{HEAD}{STEPS.replace('10', '9' * 6000)}", "not YAML: a number of 600"),
    ],
)
def test_a_config_that_cannot_be_read_is_said_to_run_no_longer(text: str, says: str) -> None:
    result = migrated(text)

    assert (result.text, result.changes) == (text, ())
    (finding,) = result.findings
    assert finding.kind is Kind.LEFT
    assert says in finding.message
    assert "the migrated trial cannot use it" in finding.message


@pytest.mark.parametrize("text", ["", "a: 1\n", "- searcher\n", "searcher: {}\n", "- &a 1\n- *a\n"])
def test_other_files_stay(text: str) -> None:
    assert migrated(text) == TextResult(text)


# Our own reader, and Determined's schema.

SIZES = ("32", "{type: int, minval: 8, maxval: 64}", "{type: categorical, vals: [8, 16]}")
RATES = ("1e-3", "{type: log, minval: -4, maxval: -1}", "0.1")
UNITS = ("{type: int, minval: 1, maxval: 3}", "4", "{type: const, val: 2}")
SEARCHERS = (
    "name: single\n  max_steps: 7",
    "name: random\n  max_steps: 7\n  max_trials: 3\n  mode: standard",
    "name: grid\n  max_steps: 7",
    "name: adaptive_simple\n  max_steps: 7\n  max_trials: 3\n  max_rungs: 2",
    "name: adaptive\n  target_trial_steps: 7\n  step_budget: 70\n  max_steps: 3",
    "name: async_halving\n  target_trial_steps: 7\n  num_rungs: 2\n  max_trials: 3",
    "name: sync_halving\n  target_trial_steps: 7\n  num_rungs: 2\n  step_budget: 70",
)
REST = (
    "batches_per_step: 25",
    "min_validation_period: 3",
    "min_checkpoint_period: 4",
    "environment:\n  tensorflow: 1.14.0\n  runtime_packages: [pandas]",
    "resources: {slots_per_trial: 2, distributed: true}",
    "data_layer: {type: shared_fs}",
    "labels: [a]\nmax_restarts: 0",
    "bind_mounts:\n  - host_path: /a\n    container_path: /b",
    "checkpoint_storage:\n  type: shared_fs\n  host_path: /a\n  save_trial_best: 2",
)
configs = st.fixed_dictionaries(
    {
        "batch_size": st.sampled_from(SIZES),
        "rate": st.sampled_from(RATES),
        "units": st.sampled_from(UNITS),
        "searcher": st.sampled_from(SEARCHERS),
        "rest": st.lists(st.sampled_from(REST), unique=True),
    }
)


def config_of(parts: dict[str, Any]) -> str:
    return "\n".join(
        [
            "hyperparameters:",
            *(f"  {name}: {parts[name]}" for name in ("batch_size", "rate", "units")),
            f"searcher:\n  metric: val_loss\n  {parts['searcher']}",
            *parts["rest"],
            "",
        ]
    )


def with_counts(text: str) -> str:
    """A grid needs counts."""
    return text.replace("maxval: ", "count: 2, maxval: ") if "name: grid" in text else text


@settings(max_examples=40)
@given(parts=configs, cluster=st.booleans())
def test_a_converted_config_is_read_by_us_and_converted_no_further(
    parts: dict[str, Any], cluster: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = with_counts(config_of(parts))
    old, new = (tmp_path_factory.getbasetemp() / name for name in ("old.yaml", "new.yaml"))
    result = migrated(text, cluster=cluster)
    old.write_text(text, encoding="utf-8")
    new.write_text(result.text, encoding="utf-8")

    config = read_config(new)

    assert left(result) == []
    assert not config.is_legacy
    assert config.searcher.max_length is not None
    legacy = read_config(old)
    assert config.batches(config.min_validation_period, 1) == legacy.batches(
        legacy.min_validation_period, 1
    )
    assert migrated(result.text, cluster=cluster).text == result.text


_VALIDATE = """
import importlib, importlib.util, json, sys, types
names = ["determined", "determined.common", "determined.common.schemas"]
root = importlib.util.find_spec("determined").submodule_search_locations[0]
for name in names:  # the packages themselves import what schemas do not need
    package = types.ModuleType(name)
    package.__path__ = ["/".join([root, *name.split(".")[1:]])]
    sys.modules[name] = package
expconf = importlib.import_module("determined.common.schemas.expconf")
for value in json.load(sys.stdin):
    for errors in (expconf.sanity_validation_errors, expconf.completeness_validation_errors):
        for error in errors(value):
            print(value["searcher"], error)
"""


def accepted_by_determined(values: list[Any]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _VALIDATE], input=json.dumps(values), capture_output=True, text=True
    )


@pytest.mark.oracle
def test_determined_accepts_converted_configs() -> None:
    """Needs the packages determined==0.19.11 (``--no-deps``) and jsonschema<4.18.

    Later packages of Determined have no schema: only its master has one.
    """
    if accepted_by_determined([]).returncode:
        pytest.skip("determined with its schema of configs is not installed")
    values = []
    for searcher, size, rate, units in itertools.product(SEARCHERS, SIZES, RATES, UNITS):
        parts = {"batch_size": size, "rate": rate, "units": units}
        text = with_counts(config_of(parts | {"searcher": searcher, "rest": REST}))
        value = yaml.safe_load(migrated(text, cluster=True).text)
        value |= {"name": "x", "reproducibility": {"experiment_seed": 1}}
        values.append(value)

    done = accepted_by_determined(values)

    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_a_config_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "const.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + PEDL.encode())
    config = Config.read(path)

    assert config.is_experiment
    assert config.counts_steps
    assert config.text.encode(config.encoding) == path.read_bytes()
