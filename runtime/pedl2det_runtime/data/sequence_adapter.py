"""A Sequence and how many workers read it (``determined.keras.SequenceAdapter``)."""

from __future__ import annotations

from numbers import Integral
from typing import Any


class SequenceAdapter:
    """A Sequence that says how it wants to be read.

    ``context.configure_fit`` says the same for both loaders; what a training loader says here has
    its effect, what a validation loader says has none (spec/context_api.md, 4.5).

    Args:
        sequence: the data; ``data=`` names it too.
        use_multiprocessing: whether the workers are processes rather than threads.
        workers: how many; 0 reads on the main thread.
        max_queue_size: the most batches that are read ahead.

    Raises:
        TypeError: there is no sequence, or a number is none.
        ValueError: the sequence is empty.
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
        self._use_multiprocessing = use_multiprocessing
        self._workers = workers
        self._max_queue_size = max_queue_size

    def __len__(self) -> int:
        return len(self.sequence)

    def fit_settings(self) -> dict[str, Any]:
        """The arguments of ``context.configure_fit`` that say the same."""
        return {
            "use_multiprocessing": self._use_multiprocessing,
            "workers": self._workers,
            "max_queue_size": self._max_queue_size,
        }
