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
_WHAT = "old code of a magic, a program or a file in a notebook"
_HELP = "write it as plain Python, or migrate it as a file and put the new text into the cell"
_OTHER_CELLS = {"file", "writefile", "pypy", "python", "python2", "python3", "script"}
_SHELL = re.compile(r"!|%(sc|sx|system|pip)\b|pip\b")
#: A name of PEDL, or a key of a config that counts in steps.
_OLD = re.compile(
    r"(?<![\w./-])pedl(?:\.\w+)*(?![\w/-])"
    r"|\b(?:batches_per_step|max_steps|target_trial_steps|step_budget)(?=\W*:)"
)


def migrate_notebook(path: Path, result: Result, options: Options) -> None:
    """Commands for a shell in the cells of a notebook, after what is already to be written."""
    known = next((file for file in result.files if file.path == path), None)
    file = known or NewFile(path, path.read_bytes(), path.read_bytes())
    try:
        document = Document.of(path, file.new)
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
    if sources:  # the last of the new texts of a file counts
        result.files.append(replace(file, new=document.with_sources(sources)))


def notebook_findings(reading: Reading) -> Iterator[Finding]:
    """Name old code that only IPython runs: magics, and cells that hold a program or a file."""
    notebooks = (one for one in reading.originals.values() if isinstance(one, NotebookSource))
    for source, cell in ((one, cell) for one in notebooks for cell in one.document.cells):
        if cell.is_code and cell.magic in _OTHER_CELLS:
            rule = CELLS
            lines = enumerate(cell.source.split("\n"), 1)
            pieces = [one for one in lines if not one[1].lstrip().startswith(("#", "%%"))]
        else:
            rule = SCAN
            magics = source.magics.get(cell.number, ())
            pieces = [(one.line, one.text) for one in magics if not _SHELL.match(one.text)]
        for line, text in pieces:
            if _OLD.search(text) if rule == CELLS else uses_old_api(text):
                code = text.splitlines()[0]
                place = rule, source.path, line, f"{code}: {_WHAT}", _HELP
                yield Finding(Kind.LEFT, *place, code=code, cell=cell.number)
