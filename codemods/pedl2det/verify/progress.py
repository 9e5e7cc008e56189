"""How far the trainings of a verification are, on a terminal."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

_PAUSE = 0.25  # seconds between two looks


@contextlib.contextmanager
def shown(runs: dict[str, Path], batches: int | None) -> Iterator[None]:
    """Show a bar for each run on stderr, if that is a terminal.

    Args:
        runs: the results directory of each run, which writes ``batches.jsonl`` there.
        batches: how many are trained; None if that is not known.
    """
    if not (sys.stderr.isatty() and importlib.util.find_spec("rich")):
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    ended = threading.Event()
    with Progress(
        TextColumn("training {task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        Remaining(compact=True),
        console=Console(stderr=True),
        transient=True,
    ) as bars:
        tasks = [
            (bars.add_task(name, total=batches), _Counted(out / "batches.jsonl"))
            for name, out in runs.items()
        ]

        def look() -> None:
            while not ended.wait(_PAUSE):
                for task, log in tasks:
                    bars.update(task, completed=log.count())

        watcher = threading.Thread(target=look, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()


class _Counted:
    """Counts the lines of a growing file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._size = self._lines = 0

    def count(self) -> int:
        """Return how many lines it has; 0 before it is there."""
        with contextlib.suppress(FileNotFoundError), self._path.open("rb") as file:
            file.seek(self._size)
            more = file.read()
            self._size += len(more)
            self._lines += more.count(b"\n")
        return self._lines
