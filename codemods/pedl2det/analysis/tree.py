"""List the files below some paths that migrate may look at, and read them without blocking.

Links to nothing, pipes, devices and forbidden files are refused.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from pedl2det.findings import Unreadable

YAML = (".yaml", ".yml")
#: A config in JSON is read by `run`, and never rewritten.
JSON = ".json"
NOTEBOOK = ".ipynb"

#: Endings and beginnings of the names of other texts that may name the old API or its commands.
_TEXT_ENDS = (".sh", ".bash", ".zsh", ".mk", ".txt", ".in", ".toml", ".cfg", ".md", ".markdown")
TEXT_STARTS = ("Makefile", "makefile", "GNUmakefile", "Dockerfile")
_ENDS = (".py", NOTEBOOK, *YAML, JSON, *_TEXT_ENDS)
#: Directories that hold nothing of a project.
PRUNED = {".git", ".hg", ".venv", "venv", ".nox", ".tox", "node_modules", "__pycache__"}
PRUNED |= {".ipynb_checkpoints"}
#: The files that identify the results of a run, or of a search, a checkpoint, and a checkpoint of
#: Determined. Their code and configs are records of what was trained.
_RESULTS = (
    {"metrics.jsonl", "checkpoints"},
    {"search.db", "trials"},
    {"metadata.json", "code", "state.json"},
    {"metadata.json", "code", "rng_state.pkl"},
)


def files_below(paths: Sequence[Path]) -> list[Path]:
    """Return every file at or below some paths that may matter, once, in order.

    A link is a file of the directory that it is in. A path that is a file is taken whatever its
    name is. What cannot be read is returned too: links to nothing, pipes, folders.
    """
    files: set[Path] = set()

    def take(error: OSError) -> None:
        """Take a path that is a file, or a folder that may not be listed."""
        path = Path(error.filename)
        files.add(path.parent.resolve() / path.name)

    for path in paths:
        for directory, folders, names in os.walk(path, onerror=take):
            # A trial may have been trained into its own directory: there is code beside it then.
            has_code = any(name.endswith(".py") for name in names)
            if not has_code and any(results <= {*folders, *names} for results in _RESULTS):
                folders.clear()
                continue
            folders[:] = [name for name in folders if name not in PRUNED]
            known = [name for name in names if name.endswith(_ENDS) or name.startswith(TEXT_STARTS)]
            matter = [name for name in known if not name.startswith(".#")]  # a lock of Emacs
            home = Path(directory).resolve() if matter else Path()
            files |= {home / name for name in matter}
    return sorted(files, key=lambda path: path.parts)  # as paths are sorted, but faster


def is_python(name: str) -> bool:
    """Tell whether a file is Python: by its name, or because its name says nothing else."""
    return not name.endswith((NOTEBOOK, *YAML, JSON)) and not is_text(name)


def is_text(name: str) -> bool:
    """Tell whether a file of some name holds neither Python nor a notebook nor YAML."""
    return name.endswith(_TEXT_ENDS) or name.startswith(TEXT_STARTS)


def read_bytes(path: Path) -> bytes:
    """Read a file; raise `Unreadable` if it is not regular, or may not be read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise Unreadable("cannot be read: no regular file")
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None


def decoded(data: bytes) -> tuple[str, str]:
    """Return a UTF-8 text, and the encoding that gives it back; raise `Unreadable` for another."""
    encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 text (byte {error.start})") from None


def bytes_or_none(path: Path) -> bytes | None:
    """Read a regular file; None if it cannot be read."""
    try:
        return read_bytes(path)
    except Unreadable:
        return None


def is_present(path: Path) -> bool:
    """Tell whether there is a file, also one that cannot be read or is not regular."""
    try:
        path.lstat()
        return not path.is_dir()
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
