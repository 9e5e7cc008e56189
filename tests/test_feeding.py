"""Feeding: batches in order, no further than allowed, the same ones every time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from pedl2det_runtime.backends.random_state import host_state, restore_host_state
from pedl2det_runtime.data.attribute_changes import AttributeChanges
from pedl2det_runtime.data.sampler import Sampler
from pedl2det_runtime.data.workers import BatchFeed, Horizon, Workers

KINDS = [
    pytest.param(Workers(count=0), id="none"),
    pytest.param(Workers(count=1), id="thread"),
    pytest.param(Workers(count=3), id="threads"),
    pytest.param(Workers(count=2, processes=True), id="processes"),
]


class Recording:
    """A sequence that tells what is asked of it."""

    def __init__(self, length: int = 5) -> None:
        self.length = length
        self.events: list[Any] = []

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> int:
        self.events.append(index)
        time.sleep(0.002 * (index % 3))
        return index

    def on_epoch_end(self) -> None:
        self.events.append("end")


class Drawing(Recording):
    """A sequence that draws from NumPy's global generator."""

    def __getitem__(self, index: int) -> tuple[int, float]:
        return index, np.random.random()


def feed(
    sequence: Any, workers: Workers, start: int = 0, horizon: Horizon | None = None
) -> BatchFeed:
    passes = Sampler(len(sequence)).passes(start)
    return BatchFeed(sequence, passes, workers, first=start, horizon=horizon)


def take(batches: BatchFeed, count: int) -> list[Any]:
    try:
        return [next(batches) for _ in range(count)]
    finally:
        batches.close()


@pytest.mark.parametrize("workers", KINDS)
def test_batches_come_in_the_order_asked_for(workers: Workers) -> None:
    assert take(feed(Recording(), workers), 12) == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]


@pytest.mark.parametrize("workers", KINDS[:3])
def test_a_pass_ends_before_the_next_one_begins(workers: Workers) -> None:
    sequence = Recording(3)
    take(feed(sequence, workers), 7)

    ends = [place for place, event in enumerate(sequence.events) if event == "end"]
    assert ends == [3, 7]


@pytest.mark.parametrize("workers", KINDS[:3])
def test_nothing_is_made_beyond_the_batch_that_is_allowed(workers: Workers) -> None:
    sequence = Recording(100)
    horizon = Horizon(4)
    batches = feed(sequence, workers, horizon=horizon)
    made = [next(batches) for _ in range(4)]
    time.sleep(0.1)
    assert sorted(sequence.events) == made == [0, 1, 2, 3]

    horizon.made = 6
    assert take(batches, 2) == [4, 5]
    assert sorted(sequence.events) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("workers", KINDS)
def test_drawing_sequences_draw_the_same_every_time(workers: Workers) -> None:
    runs = []
    for _ in range(2):
        np.random.seed(1)
        runs.append(take(feed(Drawing(), workers), 12))

    assert runs[0] == runs[1]
    assert len({drawn for _, drawn in runs[0]}) == 12


@pytest.mark.parametrize("workers", KINDS)
def test_a_feed_goes_on_where_another_paused(workers: Workers) -> None:
    np.random.seed(1)
    whole = take(feed(Drawing(), workers), 12)

    np.random.seed(1)
    first = take(feed(Drawing(), workers, horizon=Horizon(7)), 7)
    state = host_state()
    np.random.seed(99)
    restore_host_state(state)
    rest = take(feed(Drawing(), workers, start=7), 5)

    assert first + rest == whole


def test_threads_become_one_for_a_sequence_that_draws(caplog: pytest.LogCaptureFixture) -> None:
    np.random.seed(1)
    expected = [(index, np.random.random()) for index in range(5)]
    np.random.seed(1)

    assert take(feed(Drawing(), Workers(count=3)), 5) == expected
    assert "Drawing draws random numbers" in caplog.text


def test_a_process_makes_a_batch_with_the_same_numbers_whichever_process_it_is() -> None:
    alone = take(feed(Drawing(), Workers(count=1, processes=True)), 8)
    shared = take(feed(Drawing(), Workers(count=3, processes=True)), 8)

    assert alone == shared


@pytest.mark.parametrize("workers", KINDS)
def test_what_a_sequence_raises_reaches_the_reader(workers: Workers) -> None:
    class Failing(Recording):
        def __getitem__(self, index: int) -> int:
            if index == 2:
                raise ValueError("no such file: 2.png")
            return index

    batches = feed(Failing(), workers)
    with pytest.raises(ValueError, match=r"2\.png"):
        take(batches, 5)
    assert isinstance(batches.error, ValueError)


def test_a_sequence_remembers_what_it_changed() -> None:
    class Shuffling:
        def __init__(self) -> None:
            self.data = np.arange(4.0)
            self.indices = [0, 1, 2, 3]
            self.order = np.arange(4)
            self.seen = 0
            self.name = "fixed"

    old, new = Shuffling(), Shuffling()
    tracker = AttributeChanges(old)
    assert tracker.changes() == {}

    old.indices.reverse()
    old.order[:] = [3, 1, 0, 2]
    old.seen = 7
    changes = tracker.changes()
    assert set(changes) == {"indices", "order", "seen"}

    AttributeChanges(new).restore(changes)
    assert (new.indices, new.order.tolist(), new.seen) == ([3, 2, 1, 0], [3, 1, 0, 2], 7)


class Large(Recording):
    """A sequence of batches of 8 MB, in several arrays of several kinds."""

    def __getitem__(self, index: int) -> Any:
        image = np.full((2, 1000, 1000), index, "float32")
        return {"image": image, "mask": image.T > 1, "id": [f"{index}.png"]}, np.arange(index)


@pytest.mark.parametrize("has_memory", [True, False])
def test_large_batches_of_processes_are_those_of_the_sequence(
    has_memory: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_memory:
        monkeypatch.delattr(os, "memfd_create")
    kept = take(feed(Large(20), Workers(count=2, processes=True, queue=3)), 20)

    for index, (inputs, targets) in enumerate(kept):  # all are kept: none may be overwritten
        assert inputs["image"].tobytes() == np.full((2, 1000, 1000), index, "float32").tobytes()
        assert inputs["mask"].all() == (index > 1)
        assert (inputs["id"], targets.tolist()) == ([f"{index}.png"], [*range(index)])


def test_a_process_ends_though_its_workers_are_stopped_amid_a_batch() -> None:
    code = """
import os, sys
sys.path.insert(0, os.path.dirname({file!r}))
del os.memfd_create  # so that batches go through the pipe
from test_feeding import Large, Workers, feed
batches = feed(Large(50), Workers(count=2, processes=True))
for _ in range(5):
    next(batches)
batches.close()
"""
    subprocess.run([sys.executable, "-c", code.format(file=__file__)], timeout=30, check=True)


def test_worker_processes_end_with_a_parent_that_is_killed() -> None:
    code = """
import os, sys, time
sys.path.insert(0, os.path.dirname({file!r}))
from test_feeding import Recording, Workers, feed
batches = feed(Recording(), Workers(count=2, processes=True))
next(batches)
print(*batches._executor._processes, flush=True)
time.sleep(60)
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", code.format(file=__file__)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    children = [int(pid) for pid in parent.stdout.readline().split()]
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()

    deadline = time.monotonic() + 10
    while any(_is_alive(pid) for pid in children) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(children) == 2
    assert not any(_is_alive(pid) for pid in children)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().split()[2] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
