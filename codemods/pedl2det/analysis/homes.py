"""Which files define a trial or train by the Native API, and the home directory of each trial."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.project import Reader
from pedl2det.analysis.source import Source
from pedl2det.analysis.tree import bytes_or_none, is_present
from pedl2det.analysis.trial import TRIALS


def trial_classes(source: Source) -> list[ast.ClassDef]:
    """The classes that derive from a trial class of PEDL or Determined by its own name."""
    return [
        node
        for node in source.names.of(ast.ClassDef)
        if any(source.names.qualified(base) in TRIALS for base in node.bases)
    ]


def uses_legacy(source: Source) -> bool:
    """Whether a file names an old harness by the meaning of its imports."""
    imported = (
        alias.name if isinstance(node, ast.Import) else f"{node.module}.{alias.name}"
        for node in source.names.of(ast.Import, ast.ImportFrom)
        for alias in node.names
    )
    read = (source.names.qualified(node) or "" for node in source.names.of(ast.Attribute))
    return any(names.is_legacy(one) for one in (*imported, *read))


def homes_of_trials(
    candidates: Sequence[Path],
    python: Sequence[Path],
    configs: Iterable[Path],
    reader: Reader,
) -> dict[Path, Path]:
    """The files that define a trial or lead to one, each with the directory of its trial.

    Args:
        candidates: Python files that may define a trial.
        python: all Python files.
        configs: YAML files that may be experiment configs.
        reader: reads the files.
    """
    configs = list(configs)
    folders, packages = {one.parent for one in configs}, _packages(configs, reader)
    trials: dict[Path, Path] = {}
    for file in candidates:
        source = reader.source_or_none(file)
        classes = [one.name for one in trial_classes(source)] if source is not None else []
        if classes:
            trials |= _with_heirs(file, classes, folders, python) or {
                file: _home(file, folders, packages)
            }
    known = {*trials.values()} | homes_of_scripts(configs, reader)
    for file in candidates:  # such as one that imports the class for a module beside it
        home, source = _home(file, folders, packages), reader.source_or_none(file)
        if home in folders - known and source is not None and _names_trial(source):
            trials[file] = home
    return trials


def homes_of_scripts(configs: Iterable[Path], reader: Reader) -> set[Path]:
    """The directories of scripts that configs name as their entrypoint.

    A script is named from the directory of its config, or from the one above.
    """
    homes = set()
    for file in configs:
        if b"script" in (bytes_or_none(file) or b""):
            config = reader.config_or_none(file)
            script = config.named.get("script") if config is not None else None
            bases = (file.parent, file.parent.parent)
            homes |= {*[one for one in bases if script and is_present(one / script)][:1]}
    return homes


def _packages(configs: Iterable[Path], reader: Reader) -> set[Path]:
    """The packages beside configs that name a trial in them."""
    found = set()
    for file in configs:
        config = reader.config_or_none(file)
        name = config.trial.partition(":")[0].partition(".")[0] if config is not None else ""
        if name and (file.parent / name).is_dir():
            found.add(file.parent / name)
    return found


def _home(file: Path, configs: set[Path], packages: set[Path]) -> Path:
    """The directory of the trial that a file defines: of its config, or the outermost package."""
    nearest = next((one for one in file.parents if one in configs | packages), None)
    if nearest in packages - configs:
        return nearest.parent
    directory = file.parent
    while directory not in configs and (directory.parent / "__init__.py").exists():
        directory = directory.parent
    return directory


def _with_heirs(
    file: Path, classes: Sequence[str], configs: set[Path], python: Sequence[Path]
) -> dict[Path, Path]:
    """A file of base classes in a folder without a config, and the files that derive from them.

    All of them belong to the directory of the nearest config above.
    """
    above = next((one for one in file.parents if one in configs), file.parent)
    if above == file.parent:
        return {}
    derives = rf"^class\s+\w+\s*\([^)]*\b(?:{'|'.join(classes)})\b".encode()
    heirs = [
        one
        for one in python
        if one != file and one.is_relative_to(above) and re.search(derives, one.read_bytes(), re.M)
    ]
    return dict.fromkeys((file, *heirs), above) if heirs else {}


def _names_trial(source: Source) -> bool:
    """Whether a file imports or uses a trial class of PEDL or Determined."""
    return any(
        (alias.name == "*" and f"{node.module}.TFKerasTrial" in TRIALS)
        or imported_as(node, alias) in TRIALS
        for node in source.names.of(ast.ImportFrom)
        for alias in node.names
    ) or any(source.names.qualified(node) in TRIALS for node in source.names.of(ast.Attribute))


INITS = (
    "determined.experimental.keras.init",
    "determined.keras.init",
    "determined.keras.experimental.init",
)

CREATES = ("determined.experimental.create", "determined.create")


def is_native(source: Source) -> bool:
    """Whether a file trains by the Native API."""
    return next(calls_of(source, INITS), None) is not None


def calls_of(source: Source, functions: Collection[str]) -> Iterator[ast.Call]:
    """The calls of some functions, by their dotted names."""
    for call in source.names.of(ast.Call):
        if source.names.qualified(call.func) in functions:
            yield call


def may_be_native(data: bytes) -> bool:
    """Whether the bytes of a file have the words of the Native API."""
    return b"determined" in data and b"init" in data and b".fit" in data
