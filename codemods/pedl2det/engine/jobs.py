"""Work on projects in several processes, with the results in order.

The processes are forks: they inherit the projects as they were read, and send results back. A
process pays from a few projects on.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pedl2det.errors import Pedl2DetError

_PAYS = 3  # projects a process

Item = TypeVar("Item")
Answer = TypeVar("Answer")

#: What forked processes inherit: the work, and what it is done on.
_inherited: tuple[Callable[[Any], Any], list[Any]] | None = None


def in_order(work: Callable[[Item], Answer], items: list[Item], jobs: int) -> Iterator[Answer]:
    """Do some work on every item, in several processes if that pays.

    What it returns must be picklable.

    Raises:
        Pedl2DetError: a process was killed.
    """
    workers = min(jobs, len(items) // _PAYS)
    if workers < 2:
        yield from map(work, items)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    global _inherited
    _inherited = work, items
    context = multiprocessing.get_context("fork")
    executor = ProcessPoolExecutor(workers, context, initializer=_follow_parent)
    try:
        yield from executor.map(_work_on, range(len(items)))
    except BrokenProcessPool:
        raise Pedl2DetError(
            "a process was killed (out of memory?); nothing was written; try --jobs 1"
        ) from None
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
        _inherited = None


def _follow_parent() -> None:
    """End with the first process and by nothing else: Ctrl-C goes to all of a terminal."""
    import multiprocessing

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _work_on(index: int) -> Any:
    assert _inherited is not None
    work, items = _inherited
    return work(items[index])
