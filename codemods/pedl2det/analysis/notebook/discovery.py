"""Which notebooks matter: those with a trial of their own, and those that use one near them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.membership import reached
from pedl2det.analysis.notebook.document import Document
from pedl2det.analysis.notebook.magics import uses_old_api
from pedl2det.analysis.notebook.module import NotebookSource, python_cells
from pedl2det.analysis.project_files import Project, trial_classes, uses_legacy
from pedl2det.analysis.reader import Reader
from pedl2det.analysis.source import Source
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
        home = _home(file, found)
        if home is not None and _imports(file, found[home]) and not _has_trial(file, reader):
            project = found[home]
            found[home] = replace(project, notebooks=(*project.notebooks, file))
        elif names.mentions_legacy(file.read_bytes()) and _matters(file, reader):
            has_trial = _has_trial(file, reader)
            modules = reached(file, reader) if has_trial else {file.stem: file}
            needed = frozenset(modules.values())
            found.append(Project(file.parent, file.parent, modules, needed, has_trial=has_trial))
    taken = {path for one in found if one.has_trial for path in one.modules.values()}
    for one in found:
        if one.has_trial:
            yield one
        elif left := {name: path for name, path in one.modules.items() if path not in taken}:
            yield replace(one, modules=left)


def _home(file: Path, projects: Sequence[Project]) -> int | None:
    """The index of the project of the nearest trial around a notebook."""
    around = [
        (len(one.home.parts), number)
        for number, one in enumerate(projects)
        if one.has_trial and file.is_relative_to(one.home) and not _is_notebook(one)
    ]
    return max(around)[1] if around else None


def _is_notebook(project: Project) -> bool:
    return all(path.suffix == ".ipynb" for path in project.modules.values())


def _imports(file: Path, project: Project) -> bool:
    """Whether a notebook may import a module of a project."""
    words = {name.partition(".")[0] for name in project.modules} - {"__init__"}
    words |= {project.home.name}
    text = file.read_bytes().decode("utf-8", errors="replace")
    pattern = "|".join(re.escape(one) for one in sorted(words))
    return re.search(rf"\b(?:from|import)\s+(?:[\w.]+\s*,\s*)*\.?(?:{pattern})\b", text) is not None


def _has_trial(file: Path, reader: Reader) -> bool:
    source = reader.source_or_none(file)
    return source is not None and bool(trial_classes(source))


def _matters(file: Path, reader: Reader) -> bool:
    """Whether a notebook uses the old API, or may use it and cannot be read."""
    try:
        document = Document.of(file, file.read_bytes())
        if not document.is_python or not any(cell.is_code for cell in document.cells):
            return False
    except Unreadable:
        return True
    source = reader.source_or_none(file)
    if source is None:
        return any(uses_old_api(cell.source) for cell in python_cells(document))
    return uses_legacy(source) or _is_hidden(source) or _is_in_cells(document)


def _is_hidden(source: Source) -> bool:
    """Whether the old API is used where only IPython sees it."""
    return isinstance(source, NotebookSource) and any(
        not magic.is_shell and uses_old_api(magic.text)
        for magics in source.magics.values()
        for magic in magics
    )


def _is_in_cells(document: Document) -> bool:
    """Whether cells that hold files or programs may use the old API."""
    return any(
        cell.magic and not cell.is_shell and "pedl" in cell.source for cell in document.cells
    )
