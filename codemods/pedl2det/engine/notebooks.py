"""What to say about notebooks beyond their code: magics, cells that hold files, trials."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pedl2det.analysis.notebook import NotebookSource, uses_old_api
from pedl2det.analysis.project import Reading
from pedl2det.engine.marks import finding_at
from pedl2det.findings import Finding, Kind

SCAN, FILES, TRIAL = "scan", "N202", "N204"
_AS_FILE = "migrate it as a file, and put the new text into the cell"
_PYTHON = {"pypy", "python", "python2", "python3", "script"}
#: A name of PEDL, or a key of a config that counts in steps.
_OLD = re.compile(
    r"(?<![\w./-])pedl(?:\.\w+)*(?![\w/-])"
    r"|\b(?:batches_per_step|max_steps|target_trial_steps|step_budget)(?=\W*:)"
)


def notebook_findings(reading: Reading) -> Iterator[Finding]:
    """Return what to say about the notebooks of a project."""
    for source in reading.originals.values():
        if isinstance(source, NotebookSource):
            yield from _magics(source)
            yield from _cells(source)
    for owner in reading.trial.concrete:
        source = reading.trial.modules.home(owner)
        if not source.is_module:
            message = f"{owner.name} is defined in a notebook, and an entrypoint names a module"
            help_ = "write it into a file to train it: %%writefile model_def.py"
            yield finding_at(source, owner, Kind.NOTE, TRIAL, message, help_)


def _magics(source: NotebookSource) -> Iterator[Finding]:
    """Uses of the old API that only IPython sees."""
    for cell, magics in source.magics.items():
        for magic in magics:
            if not magic.is_shell and uses_old_api(magic.text):
                code = magic.text.splitlines()[0]
                message = f"{code}: a magic uses the old API"
                at = source.path, magic.line, message, "write it as plain Python"
                yield Finding(Kind.LEFT, SCAN, *at, code=code, cell=cell)


def _cells(source: NotebookSource) -> Iterator[Finding]:
    """Cells that hold another program or another file, and use the old API or the old config."""
    for cell in source.document.cells:
        if not cell.is_code or cell.is_shell or cell.magic not in {"file", "writefile", *_PYTHON}:
            continue
        body, first = cell.body
        what = "this cell runs a program" if cell.magic in _PYTHON else "this cell holds a file"
        for number, code in enumerate(body.split("\n"), first):
            found = _OLD.search(code)
            if found is not None and not code.lstrip().startswith("#"):
                message = f"{cell.magic_line}: {what} that uses {found[0]}"
                at = source.path, number, message, _AS_FILE
                yield Finding(Kind.LEFT, FILES, *at, code=code, cell=cell.number)
