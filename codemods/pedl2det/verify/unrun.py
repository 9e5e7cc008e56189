"""Find what a short training does not show: code that it did not execute, missing names."""

from __future__ import annotations

import ast
import functools
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.project import SUPPORT
from pedl2det.analysis.source import Source
from pedl2det.engine.migration import Lines, NewFile
from pedl2det.findings import Unreadable
from pedl2det.verify.copies import Copy

#: Statements that execute nothing, or only define a function or a class.
_NOTHING = (
    *(ast.Pass, ast.Global, ast.Nonlocal, ast.Try),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_WITH_STATEMENTS = ast.stmt | ast.excepthandler | ast.match_case


def unrun_lines(copy: Copy) -> Lines:
    """Return the lines of statements that a training of a copy did not execute.

    Files that were not imported, and `legacy_keras.py`, have none.
    """
    return {copy.original(path): _unrun_in(path, lines) for path, lines in _executed(copy).items()}


def skipped_functions(old: Copy, new: Copy) -> list[str]:
    """Return the functions that the old training executed, and the new one has but did not."""
    # A hook that is never called changes nothing that a short training shows.
    executed = {new.original(path): (path, lines) for path, lines in _executed(new).items()}
    skipped = []
    for path, lines in _executed(old).items():
        twin, twin_lines = executed.get(old.original(path), (path, lines))
        new_entered = _entered(twin, twin_lines)
        names = [name for name, is_entered in _entered(path, lines).items() if is_entered]
        skipped += [f"{path.name}: {name}" for name in names if new_entered.get(name) is False]
    return skipped


def _executed(copy: Copy) -> dict[Path, set[int]]:
    """Return the lines that a training executed, by file of the copy."""
    executed: dict[Path, set[int]] = defaultdict(set)
    text = copy.lines.read_text("utf-8", "surrogateescape") if copy.lines.is_file() else ""
    for line in text.splitlines():
        number, _, path = line.partition(" ")
        executed[Path(path)].add(int(number))
    return {
        path: lines
        for path, lines in executed.items()
        if path.is_file() and path.suffix == ".py" and path.name != SUPPORT
    }


def _entered(path: Path, executed: set[int]) -> dict[str, bool]:
    """Return whether each function of a file was executed, by its name within the file."""
    found: dict[str, bool] = {}
    for name, function in _functions(ast.parse(path.read_bytes())):
        body = range(function.body[0].lineno, (function.end_lineno or 0) + 1)
        found[name] = found.get(name, False) or not executed.isdisjoint(body)
    return found


def _functions(node: ast.AST, inside: str = "") -> Iterator[tuple[str, _Function]]:
    """Yield each function below a node, with its name within the file."""
    for child in ast.iter_child_nodes(node):
        name = inside
        if isinstance(child, _Function | ast.ClassDef):
            name = f"{inside}.{child.name}".lstrip(".")
        if isinstance(child, _Function):
            yield name, child
        if isinstance(child, _WITH_STATEMENTS):
            yield from _functions(child, name)


def _unrun_in(path: Path, executed: set[int]) -> frozenset[int]:
    found: set[int] = set()
    before = None  # the last line of the statement before, if that was not executed either
    for first, last in _statements(ast.parse(path.read_bytes())):
        is_unrun = executed.isdisjoint(range(first, last + 1))
        if is_unrun:
            found.update(range((before or first - 1) + 1, last + 1))
        before = last if is_unrun else None
    return frozenset(found)


def _statements(node: ast.AST) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each statement, or of its head if it has a body."""
    for child in ast.iter_child_nodes(node):
        is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if isinstance(child, ast.stmt) and not (is_text or isinstance(child, _NOTHING)):
            body = getattr(child, "body", None) or getattr(child, "cases", None)
            last = max(child.lineno, body[0].lineno - 1) if body else child.end_lineno
            yield child.lineno, last or child.lineno
        if isinstance(child, _WITH_STATEMENTS):
            yield from _statements(child)


def common(first: Lines, second: Lines) -> Lines:
    """Return the lines that neither of two trainings executed."""
    both = {path: first[path] & second[path] for path in first.keys() & second.keys()}
    return {**first, **second, **both}


_LIBRARIES = ("numpy", "tensorflow")
_SECONDS = 120
_LOOK_UP = """\
import contextlib, json, pkgutil, sys

missing = json.load(sys.stdin)
for dotted in [*missing]:
    with contextlib.suppress(AttributeError, ImportError):
        pkgutil.resolve_name(dotted)
        missing.remove(dotted)
json.dump(missing, sys.stdout)
"""


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
    try:
        source = Source.of(path, text.decode())
    except (Unreadable, UnicodeDecodeError):
        return found
    for node in source.names.of(ast.Name, ast.Attribute):
        if not isinstance(source.names.parents.get(node), ast.Attribute):
            dotted = source.names.qualified(node) or ""
            if dotted.partition(".")[0] in _LIBRARIES:
                found.setdefault(dotted, node.lineno)
    return found


@functools.cache  # each training of a trial asks for the same
def _missing(*dotted: str) -> list[str]:
    if not dotted:
        return []
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(  # noqa: S603 - our own command line
        [sys.executable, "-c", _LOOK_UP],
        input=json.dumps(dotted),
        capture_output=True,
        text=True,
        env=environment,
        timeout=_SECONDS,
        check=False,
    )
    missing: list[str] = json.loads(done.stdout) if done.returncode == 0 else []
    return missing
