"""N201: the old command line in notebooks and shell scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pedl2det.findings import Finding, Kind, Unreadable
from pedl2det.notebook import Cell, Document
from pedl2det.notebook.magics import mask
from pedl2det.notebook.module import python_cells
from pedl2det.plan import Change
from pedl2det.rules.file_rule import FileRule, Outcome, notebook
from pedl2det.rules.rule import Case, Safety
from pedl2det.texts.shell import Command, commands

_HEAD = re.compile(r"!!?|%(?:sc|sx|system)\b[ \t]*|%(?=pip\b)|(?=pip\b)")
_NOTE = (
    "pedl2det run trains on this machine, one trial of a search, and waits until it is trained: "
    "there is no experiment on a cluster to look at"
)


@dataclass(frozen=True)
class _Piece:
    """A text for a shell, and where it stands in its cell or file."""

    text: str
    offset: int
    line: int


def rewrite(path: Path, data: bytes) -> Outcome:
    """Rewrite the commands of a file."""
    if path.suffix == ".ipynb":
        return _rewrite_notebook(path, data)
    text = data.decode("utf-8", errors="surrogateescape")
    outcome = Outcome(data)
    new = _rewritten(text, [_Piece(text, 0, 1)], outcome, path, None)
    outcome.data = new.encode("utf-8", errors="surrogateescape")
    return outcome


def _rewrite_notebook(path: Path, data: bytes) -> Outcome:
    outcome = Outcome(data)
    try:
        document = Document.of(path, data)
    except Unreadable:  # the scan says so
        return outcome
    python = {cell.number for cell in python_cells(document)} if document.is_python else set()
    sources = {}
    for cell in document.cells:
        if cell.number in python:
            pieces = list(_shell_magics(cell))
        elif cell.is_code and document.is_python and cell.is_shell:
            body, line = cell.body
            pieces = [_Piece(body, len(cell.source) - len(body), line)]
        else:
            continue
        sources[cell.number] = _rewritten(cell.source, pieces, outcome, path, cell.number)
    outcome.data = document.with_sources(sources)
    return outcome


def _shell_magics(cell: Cell) -> Iterator[_Piece]:
    at = 0
    for magic in mask(cell.source, 0, bool(cell.magic)).magics:
        at = cell.source.index(magic.text, at)
        head = _HEAD.match(magic.text)
        if head is not None:
            yield _Piece(magic.text[head.end() :], at + head.end(), magic.line)
        at += len(magic.text)


def _rewritten(
    text: str, pieces: list[_Piece], outcome: Outcome, path: Path, cell: int | None
) -> str:
    found = [(piece, command) for piece in pieces for command in commands(piece.text)]
    found.sort(key=lambda pair: pair[0].offset + pair[1].start)
    for piece, command in found:
        _tell(outcome, path, cell, piece, command)
    for piece, command in reversed(found):
        if command.new is not None:
            start, end = piece.offset + command.start, piece.offset + command.end
            text = text[:start] + command.new + text[end:]
    return text


def _tell(outcome: Outcome, path: Path, cell: int | None, piece: _Piece, command: Command) -> None:
    line = piece.line + piece.text.count("\n", 0, command.start)
    if command.new is None:
        said = " ".join(piece.text[command.start : command.end].split())
        outcome.refuse(RULE.id, path, line, f"{said}: {command.why}", cell)
        return
    outcome.changes.append(Change(RULE.id, path, line, cell))
    if command.trains and not any(one.message == _NOTE for one in outcome.findings):
        outcome.findings.append(Finding(Kind.NOTE, RULE.id, path, line, _NOTE, cell))


_CREATE = "%matplotlib inline\n!cd x && pedl e create const.yaml . --test-mode\n"

RULE = FileRule(
    id="N201",
    name="shell-lines",
    doc="pedl experiment create CONFIG DIR becomes pedl2det run DIR -c CONFIG, in lines and cells "
    "of notebooks for a shell and in .sh files, and pip install pedl installs pedl2det. Commands "
    "that ask a cluster stay. Both old and new trials are trained so.",
    safety=Safety.CHANGES,
    applies=lambda path: path.suffix in (".ipynb", ".sh"),
    rewrite=rewrite,
    cases=(
        Case(
            {"run.sh": "pip install -q pedl==0.11 && pedl e create a.yaml t -f >log 2>&1\n"},
            {"run.sh": "pip install -q 'pedl2det[run]' && pedl2det run t -c a.yaml >log 2>&1\n"},
            says="pedl2det run trains on this machine",
        ),
        Case(
            {"try.ipynb": notebook("import os", _CREATE)},
            {
                "try.ipynb": notebook(
                    "import os",
                    "%matplotlib inline\n!cd x && pedl2det run . -c const.yaml --test\n",
                )
            },
            says="pedl2det run trains on this machine",
        ),
        Case({"try.ipynb": notebook("!ls pedl\nx = !echo pedl")}, {}),
        Case(
            {"try.ipynb": notebook("%%bash\nset -e\npedl task list | head")},
            {},
            says="pedl task list: it asks a cluster, and there is none",
        ),
        Case(
            {"run.sh": "pedl e create --template t.yaml const.yaml .\n"},
            {},
            says="pedl2det run has nothing like --template",
        ),
    ),
)
