"""A Sequence with settings of its data workers (``determined.keras.SequenceAdapter``)."""

from __future__ import annotations

from numbers import Integral
from typing import Any


class SequenceAdapter:
    """A Sequence with settings of its data workers.

    The training loader's settings apply to both loaders, like those of ``context.configure_fit``.
    The settings of a validation loader are ignored (docs/semantics.md, Data loaders).

    Args:
        sequence: a ``keras.utils.Sequence``.
        use_multiprocessing: use processes instead of threads as workers.
        workers: number of workers that load batches; 0 loads them on the main thread.
        max_queue_size: maximum number of batches loaded ahead.
        data: the name of ``sequence`` before Determined 0.13.10.

    Raises:
        TypeError: there is no Sequence, or ``workers`` or ``max_queue_size`` is not an integer.
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
        self._use_multiprocessing = use_multiprocessing
        self._workers = workers
        self._max_queue_size = max_queue_size

    def __len__(self) -> int:
        return len(self.sequence)

    def fit_settings(self) -> dict[str, Any]:
        """Return the equivalent arguments of ``context.configure_fit``."""
        return {
            "use_multiprocessing": self._use_multiprocessing,
            "workers": self._workers,
            "max_queue_size": self._max_queue_size,
        }
