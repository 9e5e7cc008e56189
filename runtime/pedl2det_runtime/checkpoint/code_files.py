"""Select the code and data files of a trial for a checkpoint, without the credentials in them."""

from __future__ import annotations

import ast
import functools
import math
import os
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.config.credentials import is_secret, masked, parts_in_code, secret_parts

_DATA_SUFFIXES = {".csv", ".npy", ".npz", ".tsv", ".txt", ".vocab"}
_MAX_DATA_BYTES = 2**18  # of one file
_MAX_DATA_FILES = 100
_MAX_ALL_DATA_BYTES = 2**23
_MAX_NAMED = 3
_NOT_CODE = {"__pycache__", "dist-packages", "node_modules", "site-packages"}
#: Files of environments, and where this process has its libraries.
_ENVIRONMENT_FILES = {"conda-meta", "pyvenv.cfg"}
_LIBRARIES = {Path(path) for path in (sys.prefix, sys.base_prefix, *sysconfig.get_paths().values())}


def code_of(directory: Path, results: Path, say: Callable[[str], None]) -> tuple[Path, ...]:
    """Return the modules imported from a trial's directory, and the small data files in it.

    Data files are files that code may read relative to itself, such as a vocabulary. Hidden files
    and files whose name or text contains a credential are skipped, and so are the results. Of a
    directory with more data files than checkpoints may hold, such as the labels of a data set, none
    is taken; a notice names it.
    """
    modules = {path for path in _modules(directory) if results not in path.parents}
    folders = {path.parent for path in modules}
    code = {folder for folder in folders if is_code_folder(folder, directory)}
    modules = {path for path in modules if path.parent in code}
    return tuple(sorted({*modules, *_data(directory, results, say)}))


def is_code_folder(folder: Path, directory: Path) -> bool:
    """Return whether a folder is a trial's directory, or one below it with code of the trial.

    Environments, installed packages and checkpoints have the code of others.
    """
    own = [place for place in (folder, *folder.parents) if directory in place.parents]
    return (folder == directory or bool(own)) and not any(
        _is_of_others(place, [path.name for path in place.iterdir()]) for place in own
    )


def _is_of_others(folder: Path, entries: Iterable[str]) -> bool:
    names = set(entries)
    is_checkpoint = "state.json" in names and {ownership.MARKER, ownership.METADATA} & names
    return (
        folder.name in _NOT_CODE
        or folder in _LIBRARIES
        or bool(is_checkpoint or _ENVIRONMENT_FILES & names)
        or any(name.endswith(".dist-info") for name in names)
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


def _data(directory: Path, results: Path, say: Callable[[str], None]) -> Iterator[Path]:
    """Yield data files, those of a directory all or none, until they are too many or too large."""
    files, size, skipped = 0, 0, []
    folders = _data_folders(directory, results)
    for folder, sizes in sorted(folders, key=lambda item: (len(item[0].parts), item[0])):
        count, bytes_of_all = len(sizes), sum(sizes.values())
        if files + count > _MAX_DATA_FILES or size + bytes_of_all > _MAX_ALL_DATA_BYTES:
            name = folder.relative_to(directory)
            skipped.append(f"{name} ({count:,} files, {math.ceil(bytes_of_all / 1024):,} KB)")
            continue
        files, size = files + count, size + bytes_of_all
        yield from filter(_is_public, sizes)
    if skipped:
        more = len(skipped) - _MAX_NAMED
        names = ", ".join(skipped[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
        say(
            f"checkpoints do not contain the data files in {names}: they take the first "
            f"{_MAX_DATA_FILES} data files beside a trial, of {_MAX_ALL_DATA_BYTES >> 20} MB "
            "together"
        )


def _data_folders(directory: Path, results: Path) -> Iterator[tuple[Path, dict[Path, int]]]:
    """Yield the directories with data files, and the sizes of these."""
    for place, folders, names in os.walk(directory):
        folder = Path(place)
        if folder != directory and _is_of_others(folder, [*folders, *names]):
            folders.clear()
            continue
        folders[:] = [name for name in folders if not _is_hidden(name) and folder / name != results]
        sizes = {}
        for name in names:
            path = folder / name
            if path.suffix in _DATA_SUFFIXES and not _is_hidden(path.stem) and path.is_file():
                sizes[path] = path.stat().st_size
        sizes = {path: size for path, size in sizes.items() if size <= _MAX_DATA_BYTES}
        if sizes:
            yield folder, sizes


def _is_hidden(name: str) -> bool:
    return name[0] == "." or is_secret(name)


def _is_public(path: Path) -> bool:
    """Return whether a file is readable and contains no credential."""
    try:
        text = path.read_text(encoding="latin-1")
    except OSError:
        return False
    return next(secret_parts(text), None) is None


def code_without_credentials(path: Path) -> bytes | None:
    """Return what a checkpoint holds of a file: of a module, its code with masked credentials.

    A module is masked, not left out, because the trial imports it. None if no code would be left.
    """
    data = path.read_bytes()
    return _masked(data) if path.suffix == ".py" else data


@functools.lru_cache(maxsize=1000)  # each checkpoint asks for the same files
def _masked(data: bytes) -> bytes | None:
    text = data.decode("latin-1")  # keeps every byte, whatever the encoding is
    public = masked(text, parts_in_code(text)).encode("latin-1")
    if public == data:
        return data
    try:
        ast.parse(public)
    except (SyntaxError, ValueError):
        return None
    return public


def publishable_code(
    paths: Iterable[Path], directory: Path, say: Callable[[str], None]
) -> tuple[Path, ...]:
    """Return the files that a checkpoint can hold; name those with credentials in notices."""
    kept = []
    for path in paths:
        name, public = path.relative_to(directory), code_without_credentials(path)
        if public is None:
            say(f"checkpoints do not contain {name}: it may hold credentials that cannot be masked")
            continue
        kept.append(path)
        if public == (data := path.read_bytes()):
            continue
        pairs = zip_longest(data.splitlines(), public.splitlines())
        lines = [str(number) for number, (old, new) in enumerate(pairs, 1) if old != new]
        where = f"line{'s' * (len(lines) > 1)} {', '.join(lines)}"
        say(f"checkpoints contain {name} with stars in place of credentials ({where})")
    return tuple(kept)
