"""Migrate requirements on PEDL (R301), and those that cannot be met beside it (R302).

Lists of plain requirements are edited; what other lines and files require is only named.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from pedl2det.analysis.text_rules import TextChange, TextFinding, TextResult, TextRule
from pedl2det.edits.spans import Span, apply
from pedl2det.findings import Kind
from pedl2det.texts.needs import (
    CLUSTER,
    CLUSTER_HARNESSES,
    LOCAL,
    LOCAL_HARNESSES,
    Needs,
    met_instead,
    name_of,
    needs,
    parse,
    replacing,
)

#: Where a migrated trial is, seen from a file.
PlaceOfTrial = Literal["around", "below", ""]

REQUIRED, PINNED = "R301", "R302"

_LISTS = re.compile(
    r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.(?:txt|in)", re.IGNORECASE
)
_OTHERS = {"pyproject.toml", "setup.cfg", "setup.py", "environment.yaml", "environment.yml"}
_LINE = re.compile(r"(?:\\\r?\n|[^\n])*")
_COMMENT = re.compile(r"(?:^|[ \t])#.*", re.DOTALL)
_PINNED = re.compile(r"^[^;]*(?:[=~]=|<)")
#: PEDL, or a distribution of it, in whatever is no plain requirement.
_PEDL = re.compile(r"(?<![\w.-])pedl(?![\w./-]|-\D)|\bpedl-\d", re.IGNORECASE)


def is_requirement_file(path_name: str) -> bool:
    """Whether a file is one that tools read requirements from."""
    path = PurePath(path_name)
    in_folder = path.parent.name == "requirements" and path.suffix in (".txt", ".in")
    return in_folder or path.name in _OTHERS or _LISTS.fullmatch(path.name) is not None


def migrate_requirements(
    path_name: str,
    text: str,
    cluster: bool,
    trial: PlaceOfTrial = "",
    left_out: Collection[str] = (),
) -> TextResult:
    """Replace every requirement on PEDL, and those that cannot be met beside what replaces it.

    Args:
        path_name: the file: a list of requirements or constraints, which is edited; or
            ``setup.py``, ``setup.cfg``, ``pyproject.toml`` or ``environment.yml``.
        text: the text, without a byte order mark.
        cluster: whether the team has a Determined cluster: then ``determined`` is required, and
            ``pedl2det[run]`` otherwise.
        trial: where a migrated trial is: in a directory around the file, below the file's
            directory, or elsewhere.
        left_out: rules that the user does not want.
    """
    path = PurePath(path_name)
    new = CLUSTER if cluster else LOCAL
    if "constraints" in path.name.lower():
        new = new.partition("[")[0]  # a constraint has no extras
    lines = [*lines_of(path, text)]
    names = {name_of(line.text) for line in lines}
    is_local = not cluster and names.isdisjoint(CLUSTER_HARNESSES)
    has_tool = not names.isdisjoint(LOCAL_HARNESSES)
    is_raised = is_local and (has_tool or trial == "around") and PINNED not in left_out
    is_needed = trial or has_tool or not names.isdisjoint(CLUSTER_HARNESSES)
    needed = needs(not is_local) if is_needed else {}
    spans, changes, findings = [], [], []
    for line in lines:
        raised = met_instead(line.text, needed)
        if name_of(line.text) == "pedl" and line.is_plain and name_of(new) not in names:
            written = replacing(line.text, new)
            spans.append(Span(line.start, line.end, written))
            changes.append(TextChange(REQUIRED, line.number, f"{line.text} is {written}"))
        elif name_of(line.text) == "pedl" or (not parse(line.text) and _PEDL.search(line.text)):
            message = f"{line.text}: requires PEDL, which no index serves"
            help_ = f"{new}; once, and with the hashes of today where pip needs hashes"
            findings.append(TextFinding(REQUIRED, line.number, Kind.LEFT, message, help_))
        elif raised and is_raised and line.is_plain:
            spans.append(Span(line.start, line.end, raised))
            changes.append(TextChange(PINNED, line.number, f"{line.text} is {raised}"))
            message = f"{line.text} cannot be met beside {LOCAL}, which needs {raised}; raised"
            findings.append(TextFinding(PINNED, line.number, Kind.NOTE, message))
        elif raised:
            message = f"{line.text}: a migrated trial needs {raised}"
            help_ = f"remove the line, or write {raised}"
            help_ += "; on a cluster, the image brings TensorFlow" if cluster else ""
            findings.append(TextFinding(PINNED, line.number, Kind.NOTE, message, help_))
    if is_raised and (changes or findings):
        findings += _not_compared(path, lines, needed)
    findings.sort(key=lambda finding: finding.line)
    return TextResult(apply(text, spans), tuple(changes), tuple(findings))


@dataclass(frozen=True)
class Line:
    """One line of a file of requirements.

    Attributes:
        number: its number, from 1.
        start: its first character that is no blank.
        end: the character after its last one, without the comment.
        text: the requirement, or what may be one.
        is_plain: whether it may be edited: it has no hashes and other options.
    """

    number: int
    start: int
    end: int
    text: str
    is_plain: bool


def is_list(path: PurePath) -> bool:
    """Whether a file is a list of requirements, one a line."""
    return path.suffix in (".txt", ".in")


def lines_of(path: PurePath, text: str) -> Iterator[Line]:
    """Every requirement of a list; of other files, every quoted text, or else line."""
    for line in _LINE.finditer(text):
        body = _COMMENT.sub("", line[0]).rstrip(" \t\r\n\\")
        code = body.lstrip()
        start = line.start() + len(body) - len(code)
        number = text.count("\n", 0, start) + 1
        if not is_list(path):
            for piece in re.findall(r"[\"']([^\"']+)[\"']", code) or [code.removeprefix("- ")]:
                yield Line(number, start, start, piece, is_plain=False)
        elif code:  # a backslash continues a line
            required, *options = re.split(r"[ \t\\\r\n]+(?=--[a-z])", code)
            yield Line(number, start, start + len(code), required, not options)


def _not_compared(path: PurePath, lines: Sequence[Line], needed: Needs) -> Iterator[TextFinding]:
    """Name the pins of packages of which nothing is known here, and unknown versions."""
    known = (None, *LOCAL_HARNESSES, *needed, "tensorflow-gpu")
    pins = [line for line in lines if name_of(line.text) not in known and _PINNED.search(line.text)]
    if pins:
        names = ", ".join(line.text for line in pins)
        message = f"whether Python 3.11 has {names} was not checked"
        help_ = f"pip install --dry-run -r {path.name}"
        yield TextFinding(PINNED, pins[0].number, Kind.NOTE, message, help_)


RULES = (
    TextRule(
        "R301",
        "requirements",
        "A requirement on pedl, which no index serves, becomes pedl2det[run], or with --cluster "
        "determined; its marker and comment stay. In setup.py, setup.cfg, pyproject.toml and "
        "environment.yml it is left.",
        "requirements.txt",
        "numpy\nPEDL[x]>=0.9,<1 ; python_version < '3.9'  # harness\n",
        "numpy\npedl2det[run] ; python_version < '3.9'  # harness\n",
    ),
    TextRule(
        "R302",
        "old-pins",
        "tensorflow==1.14, keras==2.2.4, numpy<1.19 cannot be met beside pedl2det[run]: no version "
        "is in both. Beside it, and in the directory of a trial, they become what it needs. In "
        "lists that serve other code too, and for a cluster, it is a note.",
        "requirements.txt",
        "pedl2det[run]\ntensorflow==1.14.0\nnumpy<3\n",
        "pedl2det[run]\ntensorflow>=2.15,<2.22\nnumpy<3\n",
    ),
)
