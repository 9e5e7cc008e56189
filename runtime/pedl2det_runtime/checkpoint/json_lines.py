"""Logs of a run, one JSON object a line, and the numbers in them.

A line of ``metrics.jsonl`` is
``{"kind": "training"|"validation", "batches": int, "epochs": float, "metrics": {name: float}}``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.errors import ConfigError

Metrics = dict[str, float]

#: The keys of a line of ``metrics.jsonl``, and of ``batches.jsonl``.
REPORT = ("kind", "batches", "epochs", "metrics")
BATCH = ("batch", "metrics", "learning_rates")
_NO_NUMBERS = "OSUMmc"  # NumPy's kinds of objects such as None, texts, times and complex numbers


def scalars(logs: dict[str, Any]) -> Metrics:
    """Return the metrics that are single numbers, as floats that hold every bit of them."""
    found = numbers(logs)
    return {name: float(value.item()) for name, value in found.items() if value.size == 1}


def numbers(logs: dict[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """Return the metrics that are numbers or arrays of them."""
    values = {name: np.asarray(value) for name, value in logs.items()}
    return {name: value for name, value in values.items() if value.dtype.kind not in _NO_NUMBERS}


def read_lines(path: Path, keys: tuple[str, ...]) -> list[bytes]:
    """Return the lines of a log that a run wrote, without one that a kill cut off.

    A log that does not exist has no lines. ``keys`` are those of each object, in order.

    Raises:
        ConfigError: it is a link, or holds something else.
    """
    ownership.refuse_foreign(path, directory=False)
    if not path.exists():
        return []
    *lines, rest = path.read_bytes().split(b"\n")
    start = f'{{"{keys[0]}": '.encode()
    rest = rest.rstrip(b"\0")  # a power failure leaves these
    is_ours = start.startswith(rest[: len(start)]) and all(_has_keys(line, keys) for line in lines)
    if not is_ours:
        raise ownership.foreign_file_error(path)
    return [line + b"\n" for line in lines]


def _has_keys(line: bytes, keys: tuple[str, ...]) -> bool:
    try:
        found = json.loads(line)
    except ValueError:
        return False
    return isinstance(found, dict) and tuple(found) == keys


class JsonLines:
    """A file of one JSON object a line, cut back to its first ``keep`` lines; None keeps all.

    A resumed run writes the lines after its checkpoint again.
    """

    def __init__(self, path: Path, keys: tuple[str, ...], keep: int | None = 0) -> None:
        lines = read_lines(path, keys)[:keep]
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        self._file = os.fdopen(os.open(path, flags, 0o666), "a", encoding="utf-8")
        self._file.truncate(sum(map(len, lines)))
        self._path = path
        self._size = sum(map(len, lines))  # in bytes
        self.written = len(lines)

    def write(self, record: dict[str, Any]) -> None:
        """Append one object."""
        self.check()
        line = json.dumps(record) + "\n"
        self._file.write(line)
        self._file.flush()
        self._size += len(line)  # JSON is ASCII
        self.written += 1

    def check(self) -> None:
        """Refuse to continue without what was written.

        Raises:
            ConfigError: the file was removed, replaced or cut.
        """
        try:
            at_path, own = self._path.lstat(), os.fstat(self._file.fileno())
            is_there = os.path.samestat(at_path, own)
        except FileNotFoundError:
            is_there = False
        if not is_there or own.st_size < self._size:
            what = "cut" if is_there else "removed or replaced"
            raise ConfigError(
                f"{self._path}: was {what} while the run wrote it; the run ends here, because "
                "its results would be lost: start it again, or put the files back and --resume"
            )

    def sync(self) -> None:
        """Write the file to the disk."""
        os.fsync(self._file.fileno())
