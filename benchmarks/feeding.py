"""Loading batches with worker processes, without a model.

What two processes can do at most that hand nothing over shows what this machine's second core is
worth.
"""

from __future__ import annotations

import multiprocessing
import pickle
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf
from comparison import Comparison, in_turns

from pedl2det_runtime.data.sampler import Sampler
from pedl2det_runtime.data.workers import BatchFeed, Workers


class Busy(tf.keras.utils.Sequence):
    """Batches that take about 10 ms of Python's time each."""

    def __len__(self) -> int:
        return 100

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        total = 0
        for number in range(200_000):
            total += number
        return np.full((32, 784), total, "float32"), np.zeros(32)


class Large(tf.keras.utils.Sequence):
    """Batches of 19 MB: 32 images of 224 x 224 pixels and 3 channels, float32."""

    def __init__(self) -> None:
        self.x = np.random.RandomState(0).random_sample((32, 224, 224, 3)).astype("float32")

    def __len__(self) -> int:
        return 100

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.x, np.zeros(32)


def measure(rounds: int) -> list[Comparison]:
    """Measure batches a second."""
    busy, large = Busy(), Large()
    found = in_turns(
        {
            "processes": lambda: _fed(busy, 2),
            "none": lambda: _fed(busy, 0),
            "keras": lambda: _enqueued(busy),
            "limit": lambda: _apart(busy),
            "large": lambda: _fed(large, 2),
            "queue": lambda: _queued(large),
        },
        rounds,
    )
    return [
        Comparison(f"{what}, 2 processes", found[ours], against, found[other], "batches/s", target)
        for what, ours, against, other, target in (
            ("CPU-bound Sequence", "processes", "no processes", "none", 1.8),
            ("CPU-bound Sequence", "processes", "OrderedEnqueuer", "keras", 1.0),
            ("CPU-bound Sequence", "processes", "2 processes, nothing handed over", "limit", None),
            ("batches of 19 MB", "large", "a queue of pickles", "queue", 3.0),
        )
    ]


def _fed(sequence: Any, processes: int) -> float:
    workers = Workers(processes, processes=processes > 0)
    feed = BatchFeed(sequence, Sampler(len(sequence)).passes(0), workers)
    return _rate(feed, feed.close)


def _enqueued(sequence: Any) -> float:
    enqueuer = tf.keras.utils.OrderedEnqueuer(sequence, use_multiprocessing=True)
    enqueuer.start(workers=2, max_queue_size=10)
    return _rate(enqueuer.get(), enqueuer.stop)


def _queued(sequence: Any) -> float:
    context = multiprocessing.get_context("fork")
    queue: Any = context.Queue(10)
    workers = [context.Process(target=_put, args=(sequence, queue), daemon=True) for _ in range(2)]
    for worker in workers:
        worker.start()

    def stop() -> None:
        for worker in workers:
            worker.kill()
        queue.cancel_join_thread()

    return _rate(iter(lambda: pickle.loads(queue.get()), None), stop)


def _apart(sequence: Any) -> float:
    """Count the batches of two processes that make them and throw them away."""
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(_made, [(sequence, 0.2)] * 2, chunksize=1)
        return sum(pool.map(_made, [(sequence, 3.0)] * 2, chunksize=1)) / 3.0


def _made(job: tuple[Any, float]) -> int:
    sequence, seconds = job
    began, count = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        sequence[0]
        count += 1
    return count


def _put(sequence: Any, queue: Any) -> None:
    while True:
        queue.put(pickle.dumps(sequence[0], protocol=5))


def _rate(batches: Iterator[Any], stop: Callable[[], Any]) -> float:
    for _ in range(12):  # what was loaded ahead
        next(batches)
    began, count = time.perf_counter(), 0
    while (seconds := time.perf_counter() - began) < 3.0:
        next(batches)
        count += 1
    stop()
    return count / seconds
