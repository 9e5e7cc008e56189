"""Which notebooks matter: those with a trial of their own, and those that use one near them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.homes import trial_classes, uses_legacy
from pedl2det.analysis.membership import reached
from pedl2det.analysis.notebook.document import Document
from pedl2det.analysis.notebook.magics import uses_old_api
from pedl2det.analysis.project import Project
from pedl2det.analysis.reader import Reader
from pedl2det.analysis.tree import NOTEBOOK
from pedl2det.findings import Unreadable


def with_notebooks(
    projects: Sequence[Project], files: Sequence[Path], reader: Reader
) -> Iterator[Project]:
    """Add notebooks to the projects whose modules they import, and projects of their own.

    Args:
        projects: the projects without notebooks.
        files: the notebooks.
        reader: reads them.
    """
    found = list(projects)
    for file in files:
        source = reader.source_or_none(file)
        has_trial = source is not None and bool(trial_classes(source))
        near = None if has_trial else _nearest(file, found)
        if near is not None and _imports(file, found[near]):
            found[near] = replace(found[near], notebooks=(*found[near].notebooks, file))
        elif names.mentions_legacy(file.read_bytes()) and _matters(file, reader):
            modules = reached([file], file.parent, reader) if has_trial else {file.stem: file}
            needed = frozenset(modules.values())
            found.append(Project(file.parent, file.parent, modules, needed, has_trial=has_trial))
    taken = {path for one in found if one.has_trial for path in one.modules.values()}
    for one in found:
        if one.has_trial:
            yield one
        elif left := {name: path for name, path in one.modules.items() if path not in taken}:
            yield replace(one, modules=left)


def _nearest(file: Path, projects: Sequence[Project]) -> int | None:
    """The index of the project of the nearest trial around a notebook."""
    around = [
        (len(one.home.parts), number)
        for number, one in enumerate(projects)
        if one.has_trial and file.is_relative_to(one.home)
        if any(path.suffix != NOTEBOOK for path in one.modules.values())
    ]
    return max(around)[1] if around else None


def _imports(file: Path, project: Project) -> bool:
    """Whether a notebook may import a module of a project."""
    words = {name.partition(".")[0] for name in project.modules} - {"__init__"}
    words |= {project.home.name}
    text = file.read_bytes().decode("utf-8", errors="replace")
    pattern = "|".join(re.escape(one) for one in sorted(words))
    return re.search(rf"\b(?:from|import)\s+(?:[\w.]+\s*,\s*)*\.?(?:{pattern})\b", text) is not None


def _matters(file: Path, reader: Reader) -> bool:
    """Whether a notebook uses the old API, or may use it and cannot be read."""
    try:
        document = Document.of(file, file.read_bytes())
    except Unreadable:
        return True
    source = reader.source_or_none(file) if document.is_python else None
    cells = [cell for cell in document.cells if cell.is_code and document.is_python]
    return (source is not None and uses_legacy(source)) or any(
        uses_old_api(cell.source) for cell in cells
    )
