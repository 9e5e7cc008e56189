"""Processes of one machine that talk through sockets: what they get, and that nobody hangs."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from processes import ends, layouts, run, start

SCENARIOS = ("all_collectives", "many", "others_order", "unpicklable", "leaves", "dies")


@pytest.fixture(scope="module", params=[2, 4])
def said(request: pytest.FixtureRequest) -> dict[str, list[Any]]:
    """What each process of one run says of each scenario; the last does not survive the last."""
    all_said = run(layouts(request.param), *SCENARIOS)
    return {
        name: [process[number] for process in all_said if number < len(process)]
        for number, name in enumerate(SCENARIOS)
    }


def test_every_collective_gives_what_the_documents_say(said: dict[str, list[Any]]) -> None:
    ranks = range(len(said["all_collectives"]))
    for rank, outcome in enumerate(said["all_collectives"]):
        chief = rank == 0
        assert outcome["result"] == {
            "gather": [["g", other] for other in ranks] if chief else None,
            "gather_local": [["gl", other] for other in ranks] if chief else None,
            "allgather": [{"rank": other} for other in ranks],
            "allgather_local": [None for _ in ranks],
            "broadcast": "from 0",
            "broadcast_local": "from 0",
            "broadcast_local_of_nothing": None,
        }


def test_answers_of_one_collective_are_never_those_of_another(said: dict[str, list[Any]]) -> None:
    assert [outcome["result"] for outcome in said["many"]] == [True] * len(said["many"])


def test_objects_of_any_size_arrive_whole() -> None:
    for (outcome,) in run(layouts(3), "sizes"):
        assert outcome["result"] is True


def test_contexts_may_follow_each_other_on_the_same_ports() -> None:
    for (outcome,) in run(layouts(3), "same_ports", PEDL2DET_PATIENCE="20"):
        assert outcome["result"] is True


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        ("others_order", "called gather() as collective number 1; every process must call"),
        ("unpicklable", "sends an object that cannot be pickled (function)"),
    ],
)
def test_all_are_told_what_one_did_wrong(
    said: dict[str, list[Any]], scenario: str, message: str
) -> None:
    for outcome in said[scenario]:
        assert outcome["error"].startswith("DistributedError: ")
        assert message in outcome["error"]


def test_who_asks_after_another_left_gets_an_error(said: dict[str, list[Any]]) -> None:
    *others, last = said["leaves"]
    gone = f"process {len(others)} is gone: it has closed its DistributedContext"
    assert all(gone in outcome["error"] for outcome in others)
    assert last["error"] == "DistributedError: allgather(): this DistributedContext is closed"


def test_after_ctrl_c_no_answer_is_taken_for_that_of_another_question() -> None:
    for (outcome,) in run(layouts(2), "interrupted"):
        assert "KeyboardInterrupt" in outcome["error"]


def test_who_never_comes_is_named_after_the_stated_time() -> None:
    *others, (last,) = run(layouts(3), "too_late", PEDL2DET_PATIENCE="2.5")
    for (outcome,) in others:
        assert "waited 2.5 s for process 2" in outcome["error"]
        assert 2.5 <= outcome["seconds"] < 30
    assert last["result"] is None


def test_a_dead_process_is_noticed_at_once(said: dict[str, list[Any]]) -> None:
    others = said["dies"]
    for outcome in others:
        assert f"process {len(others)} is gone" in outcome["error"]
        assert outcome["seconds"] < 30


def test_a_dead_process_is_named_to_all_when_a_busy_chief_calls_too() -> None:
    *others, dead = run(layouts(3), "dies_while_the_chief_computes")
    assert dead == []
    for (outcome,) in others:
        assert "process 2 is gone" in outcome["error"]
        assert 2 <= outcome["seconds"] < 10


def test_a_dead_chief_is_noticed_at_once() -> None:
    dead, *others = run(layouts(3), "chief_dies")
    assert dead == []
    for (outcome,) in others:
        assert "the chief (process 0" in outcome["error"]
        assert outcome["seconds"] < 30


def test_a_process_that_was_never_started_is_named() -> None:
    here = [start(layout, "many", PEDL2DET_PATIENCE="1") for layout in layouts(3)[:2]]
    for process in here:
        assert "waited 1 s for process 2" in ends(process)[0]["error"]


def test_a_chief_that_was_never_started_is_missed() -> None:
    # The chief says it sooner than the others ask themselves.
    (layout,) = layouts(2)[1:]
    (outcome,) = ends(start(layout, "many", PEDL2DET_PATIENCE="1"))
    assert "nothing came from the chief" in outcome["error"]


def test_processes_that_disagree_about_their_layout_say_so() -> None:
    chief, other, _ = layouts(3)
    started = [start(layout, "many") for layout in (chief, {**other, "size": 2, "local_size": 2})]
    assert all("is one of 2, the chief is one of 3" in ends(p)[0]["error"] for p in started)
    twice = [start(layout, "many") for layout in (chief, other, other)]
    assert all("two processes are number 1" in ends(p)[0]["error"] for p in twice)


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan", "inf"])
def test_a_patience_that_is_no_time_is_refused(text: str) -> None:
    (outcome,) = run(layouts(2)[:1], "many", PEDL2DET_PATIENCE=text)[0]
    assert f"$PEDL2DET_PATIENCE: expected seconds, more than 0, got '{text}'" in outcome["error"]


def test_processes_of_one_machine_share_a_key_in_a_private_file(sockets: Path) -> None:
    for (outcome,) in run(layouts(3), "many", PEDL2DET_CLUSTER_KEY=""):
        assert outcome["result"] is True
    (key,) = sockets.iterdir()
    assert (stat.S_IMODE(key.stat().st_mode), len(key.read_text())) == (0o600, 64)


def test_a_key_that_others_may_read_is_refused(sockets: Path) -> None:
    run(layouts(2), "many", PEDL2DET_CLUSTER_KEY="")
    (key,) = sockets.iterdir()
    key.chmod(0o644)
    try:
        (outcome,) = run(layouts(2)[:1], "many", PEDL2DET_CLUSTER_KEY="")[0]
    finally:
        key.chmod(0o600)

    assert f"{key}: others may read or write it; remove it" in outcome["error"]


def test_where_no_key_can_be_kept_one_is_asked_for(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    (outcome,) = run(layouts(2)[:1], "many", PEDL2DET_CLUSTER_KEY="", XDG_RUNTIME_DIR=missing)[0]

    assert "no secret can be kept: No such file or directory" in outcome["error"]
    assert "set $PEDL2DET_CLUSTER_KEY" in outcome["error"]
