"""Names of TensorFlow and NumPy that a rewrite wrote and the installed libraries do not have.

A short training need not reach them. TensorFlow is imported in a process of its own, and only if a
name was written that the table of names does not vouch for.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.source import Source
from pedl2det.engine.result import NewFile
from pedl2det.findings import Unreadable

_LIBRARIES = ("numpy", "tensorflow")
_SECONDS = 120
_LOOK_UP = """\
import json, pkgutil, sys

def exists(dotted):
    try:
        pkgutil.resolve_name(dotted)
    except (AttributeError, ImportError):
        return False
    return True

json.dump([dotted for dotted in json.load(sys.stdin) if not exists(dotted)], sys.stdout)
"""


def missing_names(files: Iterable[NewFile]) -> list[str]:
    """Return each missing name with its file and line, as ``data.py:7: tensorflow.old``."""
    written: dict[str, str] = {}
    for file in files:
        if file.path.suffix == ".py" and file.old is not None:
            old, new = (_libraries_of(file.path, text) for text in (file.old, file.new))
            for dotted in new.keys() - old.keys():
                written.setdefault(dotted, f"{file.path.name}:{new[dotted]}: {dotted}")
    vouched = tuple(f"{row.new}." for row in names.rows() if row.new and "." in row.new)
    doubtful = [dotted for dotted in written if not f"{dotted}.".startswith(vouched)]
    return sorted(written[dotted] for dotted in _missing(doubtful))


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


def _missing(dotted: list[str]) -> list[str]:
    """Those of some names that the installed libraries do not have."""
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
