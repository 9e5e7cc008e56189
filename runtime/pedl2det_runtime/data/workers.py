"""Batches of a sequence, made ahead of time by threads or processes, in the order asked for.

What makes a run repeatable and resumable:

- one thread, or none, makes the batches one after the other, so that they draw from the global
  random generators in the order of the batches;
- several threads would draw in any order, so a sequence that draws gets one thread;
- a process is seeded for each batch, whichever process makes it;
- nothing is made beyond the batch that :meth:`BatchFeed.allow` named, so that a checkpoint
  finds the random state that belongs to its batch.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from pedl2det_runtime.backends import random_state
from pedl2det_runtime.backends.stray_stop import stray_stop
from pedl2det_runtime.data.attribute_changes import Memory
from pedl2det_runtime.data.loaders import BatchSequence

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Workers:
    """Who makes the batches.

    Attributes:
        count: how many workers; 0 makes batches where they are used.
        processes: whether the workers are processes rather than threads.
        queue: the most batches that are made ahead.
        stream: what processes derive the seed of a batch from, together with its number.
    """

    count: int = 1
    processes: bool = False
    queue: int = 10
    stream: tuple[int, ...] = (0,)


class BatchFeed:
    """An iterator over batches.

    Args:
        sequence: the data.
        passes: the batch numbers of each pass over it.
        workers: who makes the batches.
        first: the number of the first batch within the whole training.
        until: the batch number at which to pause until :meth:`allow` names a later one; None
            for no pause.

    Attributes:
        error: what the sequence raised, if it did.
    """

    def __init__(
        self,
        sequence: BatchSequence,
        passes: Iterator[list[int]],
        workers: Workers,
        first: int = 0,
        until: int | None = None,
    ) -> None:
        self.error: BaseException | None = None
        self._sequence = sequence
        self._passes = passes
        self._workers = workers
        self._until = until
        self._requested = first
        self._coming: deque[int] = deque()
        self._made: deque[Future[Any]] = deque()
        self._within_pass = False
        self._executor: Executor | None = None
        self._queue = workers.queue if workers.count else 1

    def allow(self, until: int | None) -> None:
        """Let batches be made up to number ``until``; None for all of them."""
        self._until = until

    def __iter__(self) -> BatchFeed:
        return self

    def __next__(self) -> Any:
        self._request()
        if not self._made:
            raise StopIteration
        try:
            return self._made.popleft().result()
        except BrokenProcessPool:
            self.error = RuntimeError(
                "a process that makes batches died; was it out of memory? workers=0 or "
                "use_multiprocessing=False reads the data in this process"
            )
            raise self.error from None
        except BaseException as error:
            self.error = error
            if isinstance(self._executor, ProcessPoolExecutor) and error.__cause__ is not None:
                error.add_note(str(error.__cause__))  # its stack there; Keras drops causes
            if isinstance(error, StopIteration):  # leaving an iterator, it would mean the end
                self.error = stray_stop(error)
                raise self.error from error
            raise

    def close(self) -> None:
        """End the workers; batches that are being made are dropped."""
        self._made.clear()
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None

    def _request(self) -> None:
        while len(self._made) < self._queue and self._requested != self._until:
            while not self._coming:
                if self._made or not self._begin_pass():
                    return  # a pass ends: its batches are used up before the next begins
            index = self._coming.popleft()
            self._made.append(self._submit(index, self._requested))
            self._requested += 1

    def _begin_pass(self) -> bool:
        if self._within_pass:
            self._end_pass()
        self._within_pass = True
        batches = next(self._passes, None)
        if batches is None:
            self._within_pass = False
            return False
        self._coming.extend(batches)
        return True

    def _end_pass(self) -> None:
        end = getattr(self._sequence, "on_epoch_end", None)
        if end is None:
            return
        end()
        if self._workers.processes and _is_overridden(end):
            self.close()  # the next workers are forked from the changed sequence

    def _submit(self, index: int, batch: int) -> Future[Any]:
        if self._executor is None:
            if self._workers.count > 1 and not self._workers.processes:
                return self._probe(index)
            self._executor = self._start(self._workers.count)
        if isinstance(self._executor, ProcessPoolExecutor):
            return self._executor.submit(_make_in_child, index, batch)
        return self._executor.submit(self._sequence.__getitem__, index)

    def _probe(self, index: int) -> Future[Any]:
        """Make the first batch alone, to learn whether the sequence draws random numbers."""
        before, memory = random_state.draws_so_far(), Memory(self._sequence)
        made = _InPlace().submit(self._sequence.__getitem__, index)
        drew = random_state.draws_so_far() != before or bool(memory.changes())
        if drew:
            _log.warning(
                "%s draws random numbers, or changes itself, while it makes batches: one thread "
                "reads it, not %d, so that the run can be repeated (use_multiprocessing=True "
                "takes processes)",
                type(self._sequence).__name__,
                self._workers.count,
            )
        self._executor = self._start(1 if drew else self._workers.count)
        return made

    def _start(self, count: int) -> Executor:
        if not count:
            return _InPlace()
        if not self._workers.processes:
            return ThreadPoolExecutor(count, thread_name_prefix="batches")
        return ProcessPoolExecutor(
            count,
            mp_context=multiprocessing.get_context("fork"),  # what is forked need not be pickled
            initializer=_adopt,
            initargs=(self._sequence, self._workers.stream, os.getpid()),
        )


class _InPlace(Executor):
    """An executor that works where it is called."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


def _is_overridden(method: Any) -> bool:
    return not getattr(method, "__module__", "").endswith("utils.data_utils")


# In a worker process. Module variables, because a task carries only its arguments.
_sequence: Any = None
_stream: tuple[int, ...] = ()


def _adopt(sequence: Any, stream: tuple[int, ...], parent: int) -> None:
    global _sequence, _stream
    _sequence, _stream = sequence, stream
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process once its parent is gone, however the parent ended."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _make_in_child(index: int, batch: int) -> Any:
    random_state.seed_batch(_stream, batch)
    return _sequence[index]
