"""Select the code and data files of a trial that a checkpoint contains."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from pedl2det_runtime.config.credentials import is_secret, secret_parts

_DATA_SUFFIXES = {".csv", ".npy", ".npz", ".tsv", ".txt", ".vocab"}
_MAX_DATA_BYTES = 2**18
_NOT_CODE = {"__pycache__", "node_modules", "site-packages"}


def code_of(directory: Path, results: Path) -> tuple[Path, ...]:
    """Return the modules imported from a directory, and the small data files in it.

    Data files are files that code may read relative to itself, such as a vocabulary. Hidden files
    and files whose name or text contains a credential are skipped.

    Args:
        directory: the trial's directory, after the import of the trial.
        results: the directory of the run, which is skipped.
    """
    candidates = {*_modules(directory), *_data(directory)}
    return tuple(
        path
        for path in sorted(candidates)
        if not _NOT_CODE.intersection(path.relative_to(directory).parts)
        and results not in path.parents
        and not any((parent / "state.json").exists() for parent in path.parents)
    )


def public_files(directory: Path) -> tuple[Path, ...]:
    """Return the modules below a directory, and the files that are not hidden or credentials."""
    return tuple(
        path
        for path in sorted(directory.rglob("*"))
        if not _NOT_CODE.intersection(names := path.relative_to(directory).parts)
        and path.is_file()
        and not path.is_symlink()
        and (path.suffix == ".py" or not any(name[0] == "." or is_secret(name) for name in names))
        and (path.suffix == ".py" or _is_public(path))
    )


def _modules(directory: Path) -> Iterator[Path]:
    inside = str(directory) + os.sep
    for module in list(sys.modules.values()):
        # Not getattr: it would import what is there to be imported lazily.
        file = str(getattr(module, "__dict__", {}).get("__file__"))
        if file.startswith(inside) and Path(file).is_file():
            yield Path(file)


def _data(directory: Path) -> Iterator[Path]:
    for path in directory.rglob("*"):
        names = path.relative_to(directory).with_suffix("").parts
        if path.suffix not in _DATA_SUFFIXES or any(
            name[0] == "." or is_secret(name) for name in names
        ):
            continue
        if path.is_file() and path.stat().st_size <= _MAX_DATA_BYTES and _is_public(path):
            yield path


def _is_public(path: Path) -> bool:
    """Return whether a file is readable and contains no credential."""
    try:
        text = path.read_text(encoding="latin-1")
    except OSError:
        return False
    return next(secret_parts(text), None) is None
