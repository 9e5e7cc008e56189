"""Variants of the examples, through `migrate`: most are finished, and no promise is broken.

`nox -s variants` tries a thousand and trains some of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from variants import variants
from variants.rehearsal import difference
from variants.tool import Migration, Outcome, migrate_in_process
from variants.trying import Trial, migrate_variant

COUNT = 24
SEED = 20_000
#: The share of variants that must be finished.
MINIMUM_FINISHED = 0.6


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    home = tmp_path_factory.mktemp("variants").resolve()
    return [migrate_variant(one, home, migrate_in_process) for one in variants(COUNT, SEED)]


def test_variants_call_what_their_examples_call(trials: list[Trial]) -> None:
    found = {one.variant.name: difference(one.variant.files, one.variant.example) for one in trials}

    assert {name: problem for name, problem in found.items() if problem} == {}


def test_most_variants_are_finished(trials: list[Trial]) -> None:
    failures = [trial for trial in trials if trial.outcome is not Outcome.FINISHED]
    for trial in failures:
        print(f"{trial.variant.name}: {trial.outcome}: {' '.join(trial.variant.applied)}")
        print(trial.output)

    assert len(trials) - len(failures) >= MINIMUM_FINISHED * COUNT


def test_no_variant_crashes_the_tool(trials: list[Trial]) -> None:
    assert [one.output for one in trials if one.outcome is Outcome.CRASHED] == []


def test_what_is_written_compiles_and_a_second_run_changes_nothing(trials: list[Trial]) -> None:
    assert {one.variant.name: one.faults for one in trials if one.faults} == {}


def test_a_trial_left_as_it_was_is_not_counted_as_finished(tmp_path: Path) -> None:
    (variant,) = variants(1, SEED)

    trial = migrate_variant(variant, tmp_path, lambda directory: NOTHING_DONE)

    assert trial.faults


NOTHING_DONE = Migration(Outcome.FINISHED, "", 0)
