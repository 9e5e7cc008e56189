"""N202: cells that hold another program or another file."""

from __future__ import annotations

import re
from pathlib import Path

from pedl2det.facts.config import Config
from pedl2det.facts.occurrences import occurrences
from pedl2det.facts.source import Source
from pedl2det.findings import Unreadable
from pedl2det.notebook import Cell, Document
from pedl2det.rules.file_rule import FileRule, Outcome, notebook
from pedl2det.rules.rule import Case, Safety

_PYTHON = {"pypy", "python", "python2", "python3", "script"}
_MENTION = re.compile(r"(?<![\w./-])pedl(?![\w/-])")


def rewrite(path: Path, data: bytes) -> Outcome:
    """Name the cells whose text uses the old API and is not run by the notebook."""
    outcome = Outcome(data)
    try:
        document = Document.of(path, data)
    except Unreadable:  # the scan says so
        return outcome
    for cell in document.cells:
        is_left = cell.magic in {"file", "writefile", *_PYTHON} and not cell.is_shell
        if cell.is_code and document.is_python and is_left:
            _look(cell, path, outcome)
    return outcome


def _look(cell: Cell, path: Path, outcome: Outcome) -> None:
    body, line = cell.body
    what = f"{cell.magic_line}: "
    what += "a program of its own" if cell.magic in _PYTHON else "this cell holds a file"
    for below, name in _uses(body):
        message = f"{what} that uses {name}: migrate it as a file, and bring it back"
        outcome.refuse(RULE.id, path, line + below - 1, message, cell.number)


def _uses(text: str) -> list[tuple[int, str]]:
    """The lines of a text that use the old API or the old config, with what they use."""
    try:
        return [(one.node.lineno, one.name) for one in occurrences(Source.of(Path(), text))]
    except Unreadable:
        pass
    try:
        config = Config.of(Path(), text)
        if config.is_experiment and config.legacy_keys():
            return [(1, ", ".join(config.legacy_keys()))]
    except (Unreadable, AttributeError):
        pass
    return [
        (number, "pedl")
        for number, line in enumerate(text.split("\n"), 1)
        if _MENTION.search(line) and not line.lstrip().startswith("#")
    ]


_FILE = "%%writefile model_def.py\nfrom pedl.frameworks.keras import TFKerasTrial\n"

RULE = FileRule(
    id="N202",
    name="notebook-files",
    doc="A cell that writes a file, or runs a Python of its own, is no part of the notebook's "
    "module: its text is left, and named.",
    safety=Safety.PERSON,
    applies=lambda path: path.suffix == ".ipynb",
    rewrite=rewrite,
    cases=(
        Case(
            {"try.ipynb": notebook(_FILE)},
            {},
            says="%%writefile model_def.py: this cell holds a file that uses "
            "pedl.frameworks.keras.TFKerasTrial",
        ),
        Case(
            {"try.ipynb": notebook("%%python3\nimport pedl\n")},
            {},
            says="%%python3: a program of its own that uses pedl",
        ),
        Case({"try.ipynb": notebook("%%writefile notes.txt\nfor pedl-examples\n")}, {}),
    ),
)
