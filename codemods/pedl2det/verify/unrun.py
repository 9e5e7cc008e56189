"""Find what a short training does not show: code that it did not execute, missing names."""

from __future__ import annotations

import ast
import functools
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

import pedl2det_names as names
from pedl2det.analysis.project import SUPPORT
from pedl2det.analysis.source import Source
from pedl2det.engine.migration import Lines, NewFile
from pedl2det.verify import processes
from pedl2det.verify.copies import Copy


class _Statement(NamedTuple):
    """A statement, or its head if it has a body, and the name of the function around it."""

    first: int
    last: int
    function: str
    is_executed: bool


def unrun_lines(copy: Copy) -> Lines:
    """Return the lines of statements that a training of a copy did not execute.

    Files that were not imported, and `legacy_keras.py`, have none.
    """
    return {path: _unrun(statements) for path, statements in _statements(copy).items()}


def skipped_functions(old: Copy, new: Copy) -> list[str]:
    """Return the functions that the old training executed, and the new one has but did not."""
    # A hook that is never called changes nothing that a short training shows.
    twins, skipped = _statements(new), []
    for path, statements in _statements(old).items():
        both = statements, (twin := twins.get(path, []))
        executed, entered = ({one.function for one in some if one.is_executed} for some in both)
        names = executed & {one.function for one in twin} - entered
        skipped += [f"{path.name}: {name}" for name in sorted(names)]
    return skipped


def _statements(copy: Copy) -> dict[Path, list[_Statement]]:
    """Return the statements of each file that was imported, as `Executed` logs them."""
    log = copy.lines.read_bytes() if copy.lines.is_file() else b""
    rows = [os.fsdecode(line).split("\t") for line in log.splitlines()]
    executed = {(row[0], int(row[1])) for row in rows if len(row) == 2}
    found: dict[Path, set[_Statement]] = defaultdict(set)
    for file, first, last, function in (row for row in rows if len(row) > 2):
        if file.endswith(".py") and Path(file).name != SUPPORT:
            lines = range(int(first), int(last) + 1)
            is_met = any((file, line) in executed for line in lines)
            found[copy.original(Path(file))].add(_Statement(lines[0], lines[-1], function, is_met))
    return {path: sorted(statements) for path, statements in found.items()}


def _unrun(statements: list[_Statement]) -> frozenset[int]:
    found: set[int] = set()
    before = None  # the last line of the statement before, if that was not executed either
    for first, last, _, is_executed in statements:
        if not is_executed:
            found.update(range((before or first - 1) + 1, last + 1))
        before = None if is_executed else last
    return frozenset(found)


def common(first: Lines, second: Lines) -> Lines:
    """Return the lines that neither of two trainings executed."""
    both = {path: first[path] & second[path] for path in first.keys() & second.keys()}
    return {**first, **second, **both}


def missing_names(files: Iterable[NewFile]) -> list[str]:
    """Return the new names that no installed library has, as ``data.py:7: tensorflow.old``.

    TensorFlow is imported in a process of its own, and only if a name was written that the table of
    names does not vouch for.
    """
    written: dict[str, str] = {}
    for file in files:
        if file.path.suffix == ".py" and file.old is not None:
            old, new = (_libraries_of(file.path, text) for text in (file.old, file.new))
            for dotted in new.keys() - old.keys():
                written.setdefault(dotted, f"{file.path.name}:{new[dotted]}: {dotted}")
    vouched = tuple(f"{row.new}." for row in names.rows() if row.new and "." in row.new)
    doubtful = [dotted for dotted in sorted(written) if not f"{dotted}.".startswith(vouched)]
    return sorted(written[dotted] for dotted in _missing(*doubtful))


def _libraries_of(path: Path, text: bytes) -> dict[str, int]:
    """The names of libraries in a file, as they are spelled there, with their first lines."""
    found: dict[str, int] = {}
    source = Source.of(path, text.decode(errors="replace"))
    for node in source.names.of(ast.Name, ast.Attribute):
        if not isinstance(source.names.parents.get(node), ast.Attribute):
            dotted = source.names.qualified(node) or ""
            if dotted.partition(".")[0] in ("numpy", "tensorflow"):
                found.setdefault(dotted, node.lineno)
    return found


@functools.cache  # each training of a trial asks for the same
def _missing(*dotted: str) -> list[str]:
    if not dotted:
        return []
    with tempfile.TemporaryDirectory() as home:
        said = Path(home, "missing")
        started: list[BaseProcess] = []
        processes.start(["pedl2det.verify.look_up", *dotted], Path(home), said, started)
        started[0].join()
        lines = said.read_text("utf-8", "replace").splitlines()
    return [name for name in dotted if name in lines]
