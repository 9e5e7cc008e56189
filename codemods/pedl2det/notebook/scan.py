"""Which notebooks matter: those with a trial of their own, and those that use one beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pedl2det.facts.occurrences import occurrences
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.findings import Finding, Kind, Unreadable
from pedl2det.notebook.document import Document
from pedl2det.notebook.module import NotebookSource, python_cells
from pedl2det.tables.legacy import mentions_legacy

SCAN = "scan"
_IN_MAGIC = re.compile(r"(?<![\w./-])(?:pedl\.\w|import[ ][^\n]*\bpedl\b|from[ ]+pedl\b)")


def notebook_projects(files: list[Path], others: list[TrialProject]) -> list[TrialProject]:
    """A project for each notebook by itself.

    One without a trial that imports modules of a trial's directory, in which it stands, becomes a
    part of that trial: what changes in the modules would break it.
    """
    projects = []
    for file in files:
        home = _home(file, others)
        modules = _modules(home) if home else set()
        if not mentions_legacy(file.read_bytes()) and not _imported(file, modules):
            continue
        project = TrialProject(file.parent)
        _read(project, file, uses_home=bool(_imported(file, modules)))
        if project.trials:
            project.findings += _old_siblings(project, file)
        if home is not None and not project.trials and _imported(file, modules):
            home.findings += project.findings
            for source in project.sources.values():
                home.add(file.name, source)
        else:
            projects.append(project)
    return projects


def _read(project: TrialProject, file: Path, uses_home: bool) -> None:
    try:
        document = Document.of(file, file.read_bytes())
        if not document.is_python or not any(cell.is_code for cell in document.cells):
            return
        source = NotebookSource.parsed(document)
    except Unreadable as error:
        if uses_home or _matters(file):
            project.findings.append(
                Finding(Kind.BAD_INPUT, SCAN, file, error.line, str(error), error.cell)
            )
        return
    project.sources[file.stem] = source
    project.findings += _hidden(source)


def _matters(file: Path) -> bool:
    """Whether a notebook that cannot be read may use the old API in its Python."""
    try:
        document = Document.of(file, file.read_bytes())
    except Unreadable:
        return True
    return any(_IN_MAGIC.search(cell.source) for cell in python_cells(document))


def _hidden(source: NotebookSource) -> Iterator[Finding]:
    """Uses of the old API where only IPython can see them."""
    for number, magics in source.magics.items():
        for magic in magics:
            if not magic.is_shell and _IN_MAGIC.search(magic.text):
                first = magic.text.splitlines()[0]
                message = f"{first}: the old API is used in a magic: write it as plain Python"
                yield Finding(Kind.PERSON, SCAN, source.path, magic.line, message, number)


def _home(file: Path, others: list[TrialProject]) -> TrialProject | None:
    """The nearest trial's directory around a notebook."""
    around = [one for one in others if one.trials and one.directory in file.parents]
    return max(around, key=lambda one: len(one.directory.parts), default=None)


def _old_siblings(project: TrialProject, file: Path) -> Iterator[Finding]:
    """Modules beside a notebook's trial that would be left behind when it is rewritten."""
    beside = {one.stem: [one] for one in file.parent.glob("*.py")}
    beside |= {one.name: list(one.rglob("*.py")) for one in file.parent.iterdir() if one.is_dir()}
    todo, seen = [file], {file}
    while todo:
        for name in _imported(todo.pop(), set(beside)):
            new = [one for one in beside[name] if one not in seen]
            todo += new
            seen.update(new)
    for module in sorted(seen - {file}):
        if _is_old(module):
            source, node = project.trial
            cell, line = source.place(node.lineno)
            message = (
                f"{node.name} is defined in a notebook, and {module.relative_to(file.parent)}, "
                "which it imports, uses the old API too: define the trial in a module beside it"
            )
            yield Finding(Kind.PERSON, SCAN, file, line, message, cell)


def _is_old(module: Path) -> bool:
    """Whether a module uses the old API, or cannot be read and mentions it."""
    if not mentions_legacy(module.read_bytes()):
        return False
    try:
        return next(occurrences(Source.read(module)), None) is not None
    except Unreadable:
        return True


def _modules(home: TrialProject) -> set[str]:
    return {name.partition(".")[0] for name in home.sources} - {"__init__"} | {home.directory.name}


def _imported(file: Path, modules: set[str]) -> set[str]:
    """Those of some modules that a file may import."""
    text = file.read_bytes().decode("utf-8", errors="replace")
    return {
        name
        for name in modules
        if re.search(rf"\b(?:from|import)\s+(?:[\w.]+\s*,\s*)*\.?{re.escape(name)}\b", text)
    }
