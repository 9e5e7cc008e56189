"""The files of one project, and what a file says about the API that it was written for."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import DETERMINED_TRIALS, PEDL_TRIALS

#: The file that `migrate` writes into trials.
SUPPORT = "legacy_keras.py"


@dataclass(frozen=True)
class Project:
    """The files of one trial, or files with old names that belong to no trial.

    Attributes:
        home: the directory of the trial.
        root: the directory from which its modules import each other.
        modules: its Python files by the names under which they are imported.
        needed: the files that the trial imports, itself included; the others are leftovers.
        configs: its experiment configs.
        notebooks: the notebooks that import its modules.
        has_trial: whether it defines a trial, or its config names a script.
        scripts: its scripts of the Native API, which no config names.
    """

    home: Path
    root: Path
    modules: Mapping[str, Path]
    needed: frozenset[Path] = frozenset()
    configs: tuple[Path, ...] = ()
    notebooks: tuple[Path, ...] = ()
    has_trial: bool = True
    scripts: tuple[Path, ...] = ()


def trial_classes(source: Source) -> list[ast.ClassDef]:
    """Return the classes that derive from a trial class of PEDL or Determined by its own name."""
    return [
        node
        for node in source.names.of(ast.ClassDef)
        if any(
            source.names.qualified(base) in PEDL_TRIALS | DETERMINED_TRIALS for base in node.bases
        )
    ]


def names_trial(source: Source) -> bool:
    """Tell whether a file imports or uses a trial class of PEDL or Determined."""
    every = PEDL_TRIALS | DETERMINED_TRIALS
    return any(
        (alias.name == "*" and f"{node.module}.TFKerasTrial" in every)
        or imported_as(node, alias) in every
        for node in source.names.of(ast.ImportFrom)
        for alias in node.names
    ) or any(source.names.qualified(node) in every for node in source.names.of(ast.Attribute))


def uses_legacy(source: Source) -> bool:
    """Tell whether a file names an old harness by the meaning of its imports."""
    return any(
        names.is_legacy(
            alias.name if isinstance(node, ast.Import) else f"{node.module}.{alias.name}"
        )
        for node in source.names.of(ast.Import, ast.ImportFrom)
        for alias in node.names
    ) or any(
        names.is_legacy(source.names.qualified(node) or "")
        for node in source.names.of(ast.Attribute)
    )
