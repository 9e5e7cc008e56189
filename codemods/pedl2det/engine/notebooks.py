"""What is said of notebooks, and the commands for a shell in their cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pedl2det.analysis.notebook import Document, NotebookSource, uses_old_api
from pedl2det.analysis.project import Reading
from pedl2det.engine.migration import NewFile, Options, Result
from pedl2det.engine.settling import SCAN
from pedl2det.engine.texts import take_text
from pedl2det.findings import Finding, Kind, Unreadable

CELLS = "N202"
_AS_FILE = "migrate it as a file, and put the new text into the cell"
_OTHER_CELLS = {"file", "writefile", "pypy", "python", "python2", "python3", "script"}
#: A name of PEDL, or a key of a config that counts in steps.
_OLD = re.compile(
    r"(?<![\w./-])pedl(?:\.\w+)*(?![\w/-])"
    r"|\b(?:batches_per_step|max_steps|target_trial_steps|step_budget)(?=\W*:)"
)


def migrate_notebook(path: Path, result: Result, options: Options) -> None:
    """Commands for a shell in the cells of a notebook, after what is already to be written."""
    known = next((file for file in result.files if file.path == path), None)
    try:
        document = Document.of(path, known.new if known else path.read_bytes())
    except Unreadable:
        return
    sources = {}
    for cell in document.cells:
        if cell.is_code and "pedl" in cell.source:
            from pedl2det.texts.commands import migrate_shell

            new = migrate_shell(str(path), cell.source, options.cluster)
            text = take_text(result, path, cell.source, new, options, cell.number)
            if text != cell.source:
                sources[cell.number] = text
    if not sources:
        return
    data = document.with_sources(sources)
    if known:
        result.files[result.files.index(known)] = replace(known, new=data)
    else:
        result.files.append(NewFile(path, path.read_bytes(), data))


def notebook_findings(reading: Reading) -> Iterator[Finding]:
    """Return what to say about the notebooks of a project."""
    for source in reading.originals.values():
        if isinstance(source, NotebookSource):
            yield from _for_ipython(source)


def _for_ipython(source: NotebookSource) -> Iterator[Finding]:
    """Old code that only IPython runs: of magics, and of cells that hold a program or a file."""
    for cell in source.document.cells:
        if cell.is_code and cell.magic in _OTHER_CELLS:
            rule, what, help_ = CELLS, "this cell holds a program or a file with old code", _AS_FILE
            lines = [one for one in enumerate(cell.source.split("\n"), 1) if _is_old(one[1])]
        else:
            rule, what, help_ = SCAN, "a magic uses the old API", "write it as plain Python"
            magics = (one for one in source.magics.get(cell.number, ()) if not one.is_shell)
            old = (one for one in magics if uses_old_api(one.text))
            lines = [(one.line, one.text.splitlines()[0]) for one in old]
        for line, code in lines:
            message = f"{code}: {what}"
            yield Finding(
                *(Kind.LEFT, rule, source.path, line, message, help_), code=code, cell=cell.number
            )


def _is_old(line: str) -> bool:
    return _OLD.search(line) is not None and not line.lstrip().startswith(("#", "%%"))
