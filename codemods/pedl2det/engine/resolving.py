"""Look up the names of TensorFlow and NumPy that were written in the installed libraries.

TensorFlow is imported in a process of its own, and only if a name was written that the table of
names does not vouch for. Without TensorFlow nothing is looked up.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec

import pedl2det_names as names
from pedl2det.analysis.source import Source
from pedl2det.engine.new_texts import old_line
from pedl2det.engine.places import finding_on
from pedl2det.engine.result import NewFile, Result
from pedl2det.findings import Finding, Kind, Unreadable

RULE = "names"
_LIBRARIES = ("numpy", "tensorflow")
#: Names that come and go without notice.
_PRIVATE = "tensorflow.python."
_SECONDS = 120
_LOOK_UP = """\
import importlib, json, sys

def exists(dotted):
    parts = dotted.split(".")
    found = importlib.import_module(parts[0])
    for end, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(".".join(parts[:end]))
            except ImportError:
                return False
    return True

json.dump([one for one in json.load(sys.stdin) if not exists(one)], sys.stdout)
"""


@dataclass(frozen=True)
class _Written:
    """A name in a new text that may not exist.

    Attributes:
        dotted: the name.
        file: the new text.
        line: its line there.
        is_old: whether the old text has it too.
        is_deferred: whether it stands in a function, which may never be called.
    """

    dotted: str
    file: NewFile
    line: int
    is_old: bool
    is_deferred: bool


def check_names(result: Result) -> Result:
    """Return the result without the trials that would use names that do not exist.

    An old name in a function rests on the assumption that nothing calls the function.
    """
    written = [one for file in result.files for one in _written(file)]
    missing = _missing({one.dotted for one in written})
    for one in written:
        if one.dotted not in missing:
            continue
        if one.is_old and one.is_deferred:
            result = result.assuming(one.file.path, _assumption(one))
        else:
            result = result.without_file(one.file.path, _left(one))
    return result


def _written(file: NewFile) -> Iterator[_Written]:
    """The new or private names of libraries in a new text that the table does not have."""
    if file.path.suffix != ".py" or file.old is None:
        return
    try:
        new = Source.of(file.path, file.new.decode())
        doubtful = [one for one in _dotted(new) if not _is_vouched(one[0])]
        old = _dotted(Source.of(file.path, file.old.decode())) if doubtful else ()
    except (Unreadable, UnicodeDecodeError):
        return
    known = {dotted for dotted, _ in old}
    for dotted, node in doubtful:
        if dotted not in known or dotted.startswith(_PRIVATE):
            is_deferred = new.names.function_of(node) is not None
            yield _Written(dotted, file, node.lineno, dotted in known, is_deferred)


def _dotted(source: Source) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    parents = source.names.parents
    for node in source.names.of(ast.Name, ast.Attribute):
        if not isinstance(parents.get(node), ast.Attribute):
            dotted = source.names.qualified(node) or ""
            if dotted.partition(".")[0] in _LIBRARIES:
                yield dotted, node
    for statement in source.names.of(ast.ImportFrom):
        if (statement.module or "").startswith(_PRIVATE) and statement.level == 0:
            for alias in statement.names:
                yield f"{statement.module}.{alias.name}", statement


def _is_vouched(dotted: str) -> bool:
    """Whether the table of names leads to a name, or to the object that it is an attribute of."""
    new = _new_names()
    parts = dotted.split(".")
    return any(".".join(parts[:end]) in new for end in range(2, len(parts) + 1))


@functools.cache
def _new_names() -> frozenset[str]:
    return frozenset(row.new for row in names.rows() if row.new)


def _missing(dotted: Iterable[str]) -> set[str]:
    """Those of some names that the installed libraries do not have."""
    wanted = sorted(dotted)
    if not wanted or find_spec("tensorflow") is None:
        return set()
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    try:
        done = subprocess.run(  # noqa: S603 - our own command line
            [sys.executable, "-c", _LOOK_UP],
            input=json.dumps(wanted),
            capture_output=True,
            text=True,
            env=environment,
            timeout=_SECONDS,
            check=True,
        )
        return set(json.loads(done.stdout))
    except (OSError, ValueError, subprocess.SubprocessError):
        return set()  # TensorFlow does not work here


def _left(one: _Written) -> Finding:
    verb = "uses" if one.is_old else "would be rewritten to"
    message = f"this {verb} {one.dotted}, which the installed library does not have"
    return _finding(one, Kind.LEFT, message)


def _assumption(one: _Written) -> Finding:
    message = f"nothing calls this: the installed library does not have {one.dotted}"
    return _finding(one, Kind.ASSUMPTION, message)


def _finding(one: _Written, kind: Kind, message: str) -> Finding:
    assert one.file.old is not None
    old = Source.of(one.file.path, one.file.old.decode())
    new = Source.of(one.file.path, one.file.new.decode())
    return finding_on(old, old_line(old, new, one.line), kind, RULE, message)
