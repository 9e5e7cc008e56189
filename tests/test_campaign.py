"""A small share of the campaign (``nox -s campaign``), which kills, damages and provokes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from campaign.damages import Damages, Patient
from campaign.inputs import complaint, inputs
from campaign.kills import Kills, Victim
from campaign.trials import trials
from support import write_tree

pytestmark = [pytest.mark.slow, pytest.mark.kills]


@pytest.mark.turns(8, "kills")
def test_killed_runs_end_as_whole_ones(tmp_path: Path) -> None:
    files = trials()["Sequence with a generator of its own"]
    victim = Victim(write_tree(tmp_path / "trial", files), tmp_path)
    tally, chance = Kills(), random.Random(5)

    while tally.killed < 4:
        victim.kill_once(chance, tally)

    assert (tally.lost, tally.differing) == ([], [])
    assert tally.whole > 0


@pytest.mark.turns(4, "damages")
def test_damaged_checkpoints_are_refused_or_train_to_the_same_end(tmp_path: Path) -> None:
    files = trials()["arrays, dropout, Adam"]
    patient = Patient(write_tree(tmp_path / "trial", files), tmp_path)
    tally, chance = Damages(), random.Random(6)

    for _ in range(12):
        patient.damage_once(chance, tally)

    assert tally.wrong == []
    assert tally.refused > 0
    assert tally.continued > 0


@pytest.mark.turns(4, "damages")
def test_hostile_inputs_end_in_one_line(tmp_path: Path) -> None:
    wrong = {name: complaint(words, tmp_path) for name, words in inputs(tmp_path)}

    assert {name: problem for name, problem in wrong.items() if problem} == {}
