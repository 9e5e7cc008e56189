"""A Sequence with settings for its data workers (``determined.keras.SequenceAdapter``)."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

from pedl2det_runtime.data.sampler import Sampler
from pedl2det_runtime.data.workers import BatchFeed, Workers
from pedl2det_runtime.errors import CheckFailedError


class SequenceAdapter:
    """A Sequence with settings for its data workers.

    A trial returns it from its loaders, or reads it with :meth:`start`, :meth:`get_iterator` and
    :meth:`stop`, as Determined 0.12 did.

    The training loader's settings apply to both loaders, like those of ``context.configure_fit``.
    The settings of a validation loader are ignored (docs/semantics.md, Data loaders).

    Args:
        sequence: a ``keras.utils.Sequence``.
        use_multiprocessing: use processes instead of threads as workers.
        workers: number of workers that load batches; 0 loads them on the main thread.
        max_queue_size: maximum number of batches loaded ahead.
        data: the name of ``sequence`` before Determined 0.13.10.

    Raises:
        TypeError: ``sequence`` is missing, or ``workers`` or ``max_queue_size`` is not an integer.
        ValueError: the Sequence is empty.
    """

    def __init__(
        self,
        sequence: Any = None,
        use_multiprocessing: bool = False,
        workers: int = 1,
        max_queue_size: int = 10,
        *,
        data: Any = None,
    ) -> None:
        self.sequence = data if sequence is None else sequence
        name = type(self).__name__
        if self.sequence is None:
            raise TypeError(f"{name}: expected a Sequence")
        if len(self.sequence) == 0:
            raise ValueError(f"{name}: the Sequence must have a non-zero length")
        for argument, value in (("workers", workers), ("max_queue_size", max_queue_size)):
            if not isinstance(value, Integral):
                raise TypeError(f"{name}: {argument}: expected a whole number, got {value!r}")
        self.use_multiprocessing = use_multiprocessing
        self.workers = workers
        self.max_queue_size = max_queue_size
        self._feed: BatchFeed | None = None

    def __len__(self) -> int:
        return len(self.sequence)

    def fit_settings(self) -> dict[str, Any]:
        """Return the equivalent arguments of ``context.configure_fit``."""
        return {
            "use_multiprocessing": self.use_multiprocessing,
            "workers": self.workers,
            "max_queue_size": self.max_queue_size,
        }

    def start(self, batch_offset: int = 0, is_validation: bool = False) -> None:
        """Start the workers.

        Args:
            batch_offset: index of the first batch.
            is_validation: whether to stop after one pass; otherwise read endlessly.
        """
        self.stop()
        uses_processes = self.use_multiprocessing and self.workers > 0
        workers = Workers(self.workers, uses_processes, self.max_queue_size)
        sampler = Sampler(len(self))
        passes = iter([sampler.one_pass()]) if is_validation else sampler.passes(batch_offset)
        self._feed = BatchFeed(self.sequence, passes, workers)

    def get_iterator(self) -> Iterator[Any]:
        """Return the iterator over the batches.

        Raises:
            CheckFailedError: :meth:`start` was not called.
        """
        if self._feed is None:
            raise CheckFailedError(f"{type(self).__name__}.get_iterator: call start() first")
        return self._feed

    def stop(self, timeout: float | None = None) -> None:  # noqa: ARG002
        """Stop the workers.

        Args:
            timeout: ignored.
        """
        if self._feed is not None:
            self._feed.close()
        self._feed = None
