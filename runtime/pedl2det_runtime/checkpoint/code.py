"""Choose the files of a trial that a checkpoint carries, so that its model can be loaded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from pedl2det_runtime.config.credentials import is_secret, secret_parts

_DATA = {".csv", ".npy", ".npz", ".tsv", ".txt", ".vocab"}
_DATA_BYTES = 2**18
_NOT_CODE = {"__pycache__", "node_modules", "site-packages"}


def code_of(directory: Path, results: Path) -> tuple[Path, ...]:
    """Return the modules that were imported from a directory, and small data files in it.

    Data files are those that code may read relative to itself, such as a vocabulary. They are left
    out if they are hidden, or if their name or text tells that they hold a credential.

    Args:
        directory: the trial's directory; its modules are imported by now.
        results: the directory of the run, which is left out.
    """
    found = {*_modules(directory), *_data(directory)}
    return tuple(
        path
        for path in sorted(found)
        if not _NOT_CODE.intersection(path.relative_to(directory).parts)
        and results not in path.parents
        and not any((parent / "state.json").exists() for parent in path.parents)
    )


def _modules(directory: Path) -> Iterator[Path]:
    for module in list(sys.modules.values()):
        path = Path(getattr(module, "__file__", None) or "")
        if directory in path.parents and path.is_file():
            yield path


def _data(directory: Path) -> Iterator[Path]:
    for path in directory.rglob("*"):
        names = path.relative_to(directory).with_suffix("").parts
        if path.suffix not in _DATA or any(one[0] == "." or is_secret(one) for one in names):
            continue
        if path.is_file() and path.stat().st_size <= _DATA_BYTES and _is_public(path):
            yield path


def _is_public(path: Path) -> bool:
    """Tell whether a file can be read and holds no credential."""
    try:
        text = path.read_text(encoding="latin-1")
    except OSError:
        return False
    return next(secret_parts(text), None) is None
