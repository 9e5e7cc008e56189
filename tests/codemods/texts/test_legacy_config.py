"""The config as it was, of a migrated config: for every config, whatever it was."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pedl2det.analysis.text_rules import ConfigFacts
from pedl2det.findings import Kind
from pedl2det.support import render
from pedl2det.texts.configs import migrate_config, with_legacy_config
from pedl2det_runtime.config.yaml12 import parse

STEPS = """\
description: no
data: {rate: 1e-4}
hyperparameters:
  batch_size: {type: categorical, vals: [8, 16]}
  rate: 1e-4
searcher:
  name: single
  metric: val_loss
  max_steps: 3
batches_per_step: 4
min_validation_period: 2
"""
SEARCH = """\
# a search
resources: {native_parallel: true, slots_per_trial: 2}
min_checkpoint_period: 0
data_layer: {type: shared_fs}
hyperparameters:
    units: {type: int, minval: 2, maxval: 8}
    decay: {type: log, minval: -4, maxval: -1}
searcher: {name: adaptive, metric: val_loss, target_trial_steps: 8, step_budget: 80}
entrypoints:
    trial_class: model_def:Net
"""
EARLY = """\
{"entrypoint": "model_def:Net", "hyperparameters": {"global_batch_size": 8, "max_length": 5},
 "searcher": {"name": "single", "metric": "l", "max_steps": 2}, "batches_per_step": 7}
"""


def legacy(text: str) -> Any:
    piece: dict[str, Any] = {}
    exec(render(["old_config"]), piece)
    return piece["old_config"](parse(text).value)


@pytest.mark.parametrize("text", [STEPS, SEARCH, EARLY, SEARCH.replace("\n", "\r\n")])
def test_the_config_as_it_was_comes_back(text: str) -> None:
    migrated = migrate_config(text, ConfigFacts(entrypoint="model_def:Net"))

    kept = with_legacy_config(text, migrated)

    assert "max_length" in kept.text
    before = {"data": {}, **parse(text).value}
    assert {"data": {}, **legacy(kept.text)} == before


def test_a_value_that_a_search_has_drawn_stays() -> None:
    kept = with_legacy_config(SEARCH, migrate_config(SEARCH, ConfigFacts())).text

    drawn = re.sub(r"units: {type.+}", "units: 5", kept)

    assert drawn != kept
    assert legacy(drawn)["hyperparameters"]["units"] == 5


def test_a_batch_size_under_the_name_of_today_has_the_value_of_today() -> None:
    kept = with_legacy_config(EARLY, migrate_config(EARLY, ConfigFacts())).text

    changed = legacy(kept.replace('"global_batch_size": 8', '"global_batch_size": 16'))

    assert changed["hyperparameters"] == {"global_batch_size": 16, "max_length": 5}


def test_what_the_searcher_said_is_named() -> None:
    kept = with_legacy_config(SEARCH, migrate_config(SEARCH, ConfigFacts()))

    (said,) = [found for found in kept.findings if "legacy_config" in found.message]
    assert said.kind is Kind.NOTE
    assert "target_trial_steps: 8" in said.message


def test_what_can_be_computed_is_not_written() -> None:
    migrated = migrate_config(STEPS, ConfigFacts(entrypoint="model_def:Net"))

    assert with_legacy_config(STEPS, migrated) == migrated


def test_a_length_that_is_edited_later_is_seen() -> None:
    migrated = migrate_config(STEPS, ConfigFacts())

    assert (
        legacy(migrated.text.replace("batches: 12", "batches: 40"))["searcher"]["max_steps"] == 10
    )


def test_a_section_without_a_place_is_named() -> None:
    text = "data:\n" + SEARCH

    (finding,) = (
        one
        for one in with_legacy_config(text, migrate_config(text, ConfigFacts())).findings
        if one.rule == "P004"
    )

    assert finding.kind is Kind.LEFT
    assert "native_parallel: true" in finding.help
