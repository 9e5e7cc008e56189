"""``context.searcher``: one operation, as long as the config says."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from pedl2det_runtime.core.modes import SearcherMode, Unit
from pedl2det_runtime.distributed import DistributedContext

_log = logging.getLogger("determined.core")


class SearcherOperation:
    """A length to train for.

    Args:
        length: the absolute length, in the unit of the config.
        is_chief: whether this process completes the operation.
    """

    def __init__(self, length: int, is_chief: bool = True) -> None:
        self._length = length
        self._is_chief = is_chief
        self.completed = False

    @property
    def length(self) -> int:
        """The absolute length to train for."""
        return self._length

    def report_progress(self, length: float) -> None:
        """Log how far the training is.

        Raises:
            RuntimeError: this process is not the chief, or the operation is complete.
        """
        self._check("report_progress")
        _log.info("progress report: %s/%s", length, self._length)

    def report_completed(self, searcher_metric: object) -> None:
        """Complete the operation.

        Args:
            searcher_metric: the value of the searcher's metric.

        Raises:
            RuntimeError: this process is not the chief, or the operation is complete.
        """
        self._check("report_completed")
        self.completed = True
        _log.info("SearcherOperation complete: searcher_metric=%s", searcher_metric)

    def _check(self, method: str) -> None:
        if not self._is_chief:
            raise RuntimeError(f"op.{method}() must be called by the chief alone")
        if self.completed:
            raise RuntimeError(f"op.{method}() was called after op.report_completed()")


class SearcherContext:
    """The operations of the searcher: one.

    Args:
        dist: the processes of the training.
        length: the length of the operation.
        units: the unit of the length.
    """

    def __init__(
        self, dist: DistributedContext, length: int = 1, units: Unit | None = Unit.EPOCHS
    ) -> None:
        self._dist = dist
        self._length = length
        self._units = units

    def operations(
        self,
        searcher_mode: SearcherMode = SearcherMode.WorkersAskChief,
        auto_ack: bool = True,
    ) -> Iterator[SearcherOperation]:
        """Yield the operation.

        Args:
            searcher_mode: which processes ask for operations.
            auto_ack: not used.

        Raises:
            RuntimeError: the operation was not completed, or a process asks that must not.
        """
        is_chief = self._dist.rank == 0
        if searcher_mode is SearcherMode.ChiefOnly and not is_chief:
            raise RuntimeError("with SearcherMode.ChiefOnly, only the chief may call operations()")
        operation = SearcherOperation(self._length, is_chief)
        yield operation
        if is_chief and not operation.completed:
            raise RuntimeError("you must call op.report_completed() on each operation")

    def get_configured_units(self) -> Unit | None:
        """Return the unit of the length."""
        return self._units

    def acknowledge_out_of_ops(self) -> None:
        """Do nothing."""
