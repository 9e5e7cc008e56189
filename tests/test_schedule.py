"""The schedule: when training stops, and for what."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pedl2det_runtime.checkpoint.state import Progress
from pedl2det_runtime.training.schedule import (
    Schedule,
    next_action,
    next_epoch_end,
    next_pause,
    next_stop,
)

schedules = st.builds(
    Schedule,
    total=st.integers(1, 300),
    report_every=st.integers(1, 120),
    validate_every=st.integers(0, 150),
    checkpoint_every=st.integers(0, 150),
    epoch=st.integers(0, 50),
    validates_first=st.booleans(),
)


def walk(schedule: Schedule) -> list[tuple[str, int]]:
    """Every stop and action of a whole trial."""
    progress, events = Progress(), []
    while True:
        while action := next_action(schedule, progress):
            events.append((action, progress.batches))
            validates = action == "validate"
            done = "last_validation" if validates else "last_checkpoint"
            progress = replace(progress, **{done: progress.batches})
        if progress.batches >= schedule.total:
            return events
        stop = next_stop(schedule, progress)
        assert progress.batches < stop <= next_pause(schedule, progress) <= schedule.total
        progress = replace(progress, batches=stop)
        events.append(("report", stop))


def test_periodic_stop_validates_then_checkpoints_and_the_end_the_other_way() -> None:
    schedule = Schedule(total=25, report_every=10, validate_every=10, checkpoint_every=20)

    assert walk(schedule) == [
        ("report", 10),
        ("validate", 10),
        ("report", 20),
        ("validate", 20),
        ("checkpoint", 20),
        ("report", 25),
        ("checkpoint", 25),
        ("validate", 25),
    ]


def test_initial_validation_comes_before_the_first_batch() -> None:
    assert walk(Schedule(total=1, validates_first=True)) == [
        ("validate", 0),
        ("report", 1),
        ("checkpoint", 1),
        ("validate", 1),
    ]


def test_period_counts_from_the_last_checkpoint_whatever_caused_it() -> None:
    schedule = Schedule(total=100, report_every=100, checkpoint_every=30)
    after_best_at_20 = Progress(batches=20, last_checkpoint=20)

    assert next_stop(schedule, after_best_at_20) == 50


def test_a_stop_asked_for_by_a_callback_checkpoints_and_no_more() -> None:
    schedule, progress = Schedule(total=100, validate_every=40), Progress(batches=40)

    assert next_action(schedule, progress, stopping=True) == "checkpoint"
    saved = replace(progress, last_checkpoint=40)
    assert next_action(schedule, saved, stopping=True) is None


def test_what_is_due_at_the_end_by_its_period_comes_in_the_periodic_order() -> None:
    events = walk(Schedule(total=20, report_every=20, validate_every=10))

    assert events[-3:] == [("report", 20), ("validate", 20), ("checkpoint", 20)]


def test_epochs_end_at_their_multiples() -> None:
    assert next_epoch_end(Schedule(total=9, epoch=4), 3) == 4
    assert next_epoch_end(Schedule(total=9, epoch=4), 4) == 8
    assert next_epoch_end(Schedule(total=9), 4) is None


@given(schedules)
def test_every_trial_ends_trained_checkpointed_and_validated(schedule: Schedule) -> None:
    events = walk(schedule)

    assert events[-3:][0] == ("report", schedule.total)
    assert ("checkpoint", schedule.total) in events
    assert ("validate", schedule.total) in events


@given(schedules)
def test_no_way_between_two_actions_is_longer_than_its_period(schedule: Schedule) -> None:
    events = walk(schedule)
    for kind, period in (
        ("report", schedule.report_every),
        ("validate", schedule.validate_every),
        ("checkpoint", schedule.checkpoint_every),
    ):
        batches = [0, *(batch for name, batch in events if name == kind)]
        gaps = [after - before for before, after in pairwise(batches)]
        assert not period or max(gaps) <= period
        assert len(set(batches[1:])) == len(batches[1:]), f"{kind} twice at one batch"
