"""Load the batches of a sequence ahead of time with threads or processes, in request order.

These rules make a run repeatable and resumable:

- With 0 or 1 thread, batches are loaded one after the other. They draw from the global random
  generators in the order of the batches.
- Several threads would draw in any order. A sequence that draws random numbers gets one thread.
- A worker process is seeded for each batch, so the result does not depend on the process.
- No batch beyond the :class:`Horizon` is loaded. A checkpoint therefore saves the random state of
  its batch.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from pedl2det_runtime.backends import random_state
from pedl2det_runtime.data.attribute_changes import AttributeChanges
from pedl2det_runtime.data.loaders import BatchSequence
from pedl2det_runtime.data.shared_memory import Packed, Slot, Slots, packed
from pedl2det_runtime.errors.repeated_warnings import logger
from pedl2det_runtime.errors.trial_code import stray_stop

_log = logger(__name__)


@dataclass(frozen=True)
class Workers:
    """Settings of the data workers."""

    count: int = 1  #: number of workers; 0 loads batches on the calling thread
    processes: bool = False  #: use processes instead of threads
    queue: int = 10  #: maximum number of batches loaded ahead
    #: seed words; with the number of a batch, they seed the worker process that loads it
    stream: tuple[int, ...] = (0,)


@dataclass
class Horizon:
    """How many batches may be loaded and read, counted from the start; the loop moves it."""

    made: int | None = None  #: the number of batches that may be loaded; None for all
    read: int = 0  #: the number of batches at which the next execution ends: a stack ends there too


class Reader:
    """Reads data. This base class is for datasets, which have no workers.

    Attributes:
        error: the exception that the data raised, or None.
        spec: what all batches must match; None until the first is read.
    """

    error: BaseException | None = None
    spec: Any = None

    def hold(self, batches: int) -> int:
        """Load no further batches. Call this between two batches.

        Args:
            batches: the number of batches used so far.

        Returns:
            The number of batches to use before stopping. Only then are the random states those of
            the last batch that was used: others were loaded ahead.
        """
        return batches

    def finish(self) -> None:
        """Tell the data that a pass has ended."""

    def close(self) -> None:
        """Stop the workers and discard their batches."""


class BatchFeed(Reader):
    """An iterator over the batches of a sequence.

    Args:
        sequence: the data.
        passes: the batch indices of each pass.
        workers: settings of the data workers.
        first: number of the first batch within the whole training.
        horizon: how many batches may be loaded.
    """

    def __init__(
        self,
        sequence: BatchSequence,
        passes: Iterator[list[int]],
        workers: Workers,
        first: int = 0,
        horizon: Horizon | None = None,
    ) -> None:
        self._sequence = sequence
        self._passes = passes
        self._workers = workers
        self._horizon = horizon or Horizon()
        self._requested = first
        self._coming: deque[int] = deque()
        self._futures: deque[Future[Any]] = deque()
        self._within_pass = False
        self._on_epoch_end = own_on_epoch_end(sequence)
        self._executor: Executor | None = None
        self._slots = Slots(0)
        self._reserved: deque[int | None] = deque()
        self._queue = workers.queue if workers.count else 1

    def hold(self, batches: int) -> int:
        """See :meth:`Reader.hold`."""
        if not self._workers.processes:  # processes are seeded for each batch
            batches = max(batches, self._requested)
        self._horizon.made = batches
        return batches

    def finish(self) -> None:
        """See :meth:`Reader.finish`."""
        self._horizon.made = None
        next(self, None)  # a request after the last batch ends the pass

    def __iter__(self) -> BatchFeed:
        return self

    def __next__(self) -> Any:
        self._request()
        if not self._futures:
            raise StopIteration
        try:
            return self._receive(self._futures.popleft())
        except BrokenProcessPool:
            self.error = RuntimeError(
                "a data worker process died, perhaps out of memory: set workers=0 or "
                "use_multiprocessing=False to load the data in this process"
            )
            raise self.error from None
        except BaseException as error:
            self.error = error
            if isinstance(self._executor, ProcessPoolExecutor) and error.__cause__ is not None:
                error.add_note(str(error.__cause__))  # the worker's traceback; Keras drops causes
            if isinstance(error, StopIteration):  # it would end this iterator
                self.error = stray_stop(error)
                raise self.error from error
            raise

    def take(self, most: int) -> list[Any]:
        """Return the next batch, and those after it in its pass that are loaded already.

        Raises:
            StopIteration: all passes have ended.
        """
        batches = [next(self)]
        while len(batches) < most and (self._coming or self._futures):
            self._request()
            if not (self._futures and self._futures[0].done()) or self._futures[0].exception():
                break
            batches.append(next(self))
        return batches

    def close(self) -> None:
        """See :meth:`Reader.close`."""
        executor, self._executor = self._executor, None
        is_busy = not all(future.done() for future in self._futures)
        self._futures.clear()
        self._reserved.clear()
        if executor is None:
            return
        results: Any = getattr(executor, "_result_queue", None)
        processes = list((getattr(executor, "_processes", None) or {}).values())
        executor.shutdown(wait=False, cancel_futures=True)
        if is_busy and processes:
            for process in processes:
                process.kill()
            results._writer.close()  # else the executor waits for the rest of a batch

    def _request(self) -> None:
        while len(self._futures) < self._queue and self._requested != self._horizon.made:
            while not self._coming:
                if (self._futures and self._on_epoch_end) or not self._begin_pass():
                    return  # on_epoch_end must wait until all batches of this pass are used
            index = self._coming.popleft()
            self._futures.append(self._submit(index, self._requested))
            self._requested += 1

    def _begin_pass(self) -> bool:
        if self._within_pass and self._on_epoch_end is not None:
            self._on_epoch_end()
            if self._workers.processes:
                self.close()  # fork new workers from the changed sequence
        batches = next(self._passes, None)
        self._within_pass = batches is not None
        self._coming.extend(batches or ())
        return self._within_pass

    def _submit(self, index: int, batch: int) -> Future[Any]:
        if self._executor is None:
            if self._workers.count > 1 and not self._workers.processes:
                return self._probe(index)
            self._executor = self._start(self._workers.count)
        if isinstance(self._executor, ProcessPoolExecutor):
            self._reserved.append(self._slots.reserve())
            return self._executor.submit(_make_in_child, index, batch, self._reserved[-1])
        return self._executor.submit(self._sequence.__getitem__, index)

    def _receive(self, future: Future[Any]) -> Any:
        if not self._reserved:
            return future.result()
        slot = self._reserved.popleft()
        try:
            return self._slots.unpacked(future.result(), slot)
        except BaseException:
            self._slots.release(slot)
            raise

    def _probe(self, index: int) -> Future[Any]:
        """Load the first batch on this thread, to detect whether the sequence is stateful."""
        before, attributes = random_state.fingerprint(), AttributeChanges(self._sequence)
        batch = _InPlace().submit(self._sequence.__getitem__, index)
        is_stateful = random_state.fingerprint() != before or bool(attributes.changes())
        if is_stateful:
            _log.warning(
                "%s draws random numbers or changes its attributes while it loads batches: one "
                "thread loads them instead of %d, so that the run is repeatable (set "
                "use_multiprocessing=True to use processes)",
                type(self._sequence).__name__,
                self._workers.count,
            )
        self._executor = self._start(1 if is_stateful else self._workers.count)
        return batch

    def _start(self, count: int) -> Executor:
        if not count:
            return _InPlace()
        if not self._workers.processes:
            return ThreadPoolExecutor(count, thread_name_prefix="batches")
        # One for each batch loaded ahead, and two for batches that TensorFlow still reads.
        self._slots = Slots(self._queue + 2)
        return ProcessPoolExecutor(
            count,
            mp_context=multiprocessing.get_context("fork"),  # the sequence need not be pickled
            initializer=_start_child,
            initargs=(self._sequence, self._workers.stream, self._slots.all, os.getpid()),
        )


class _InPlace(Executor):
    """An executor that runs each call on the calling thread."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


def own_on_epoch_end(sequence: Any) -> Callable[[], Any] | None:
    """Return the ``on_epoch_end`` of a sequence; None if it only inherits that of Keras."""
    end: Callable[[], Any] | None = getattr(sequence, "on_epoch_end", None)
    of_keras = getattr(end, "__module__", "").endswith("utils.data_utils")
    return None if of_keras else end


# State of a worker process. A submitted task carries only its arguments.
_sequence: Any = None
_stream: tuple[int, ...] = ()
_slots: list[Slot] = []


def _start_child(sequence: Any, stream: tuple[int, ...], slots: list[Slot], parent: int) -> None:
    global _sequence, _stream, _slots
    _sequence, _stream, _slots = sequence, stream, slots
    for number in (signal.SIGINT, signal.SIGTERM):  # the parent stops its workers
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_exit_with, args=(parent,), daemon=True).start()


def _exit_with(parent: int) -> None:
    """Exit when the parent process has ended for any reason."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _make_in_child(index: int, batch: int, slot: int | None) -> Packed:
    random_state.seed_batch(_stream, batch)
    return packed(_sequence[index], None if slot is None else _slots[slot])
