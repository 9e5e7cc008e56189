"""Migrate commands of PEDL's command line, wherever a text has them (N201)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pedl2det.analysis.config import Config
from pedl2det.analysis.text_rules import Span, TextChange, TextFinding, TextResult, replaced
from pedl2det.findings import Kind, Unreadable

RULE = "N201"

_GAP = r"(?:[ \t]|\\\r?\n)+"
_WORD = r"""(?:'[^'\n]*'|"[^"\n]*"|(?:\$\([^()\n]*\)|<[^\s<>][^<>\n]*>|[^\s;&|()<>\\`'"\#])+)"""
_OPTIONS = rf"(?P<options>(?:{_GAP}(?:(?:-m|--master|-u|--user){_GAP}{_WORD}|-[^\s;&|]+))*)"
#: Groups of subcommands that PEDL had and Determined has.
_GROUPS = (
    r"(?:a|agent|checkpoint|cmd|command|e|exp|experiment|master|notebook|s|shell|slot|t|task"
    r"|template|tensorboard|trial|u|user|version)\b"
)
_TOOL = r"(?<![\w./~-])"
_CREATE = re.compile(
    rf"{_TOOL}(?P<tool>pedl|det){_OPTIONS}{_GAP}(?:e|exp|experiment){_GAP}(?:c|create)\b"
    rf"(?P<words>(?:{_GAP}{_WORD})*)"
)
_VARIABLE = re.compile(
    rf"(?m)(\w+)[ \t]*[:?]?=[ \t]*['\"]?(pedl)\b['\"]?{_OPTIONS}['\"]?(?=[ \t]*(?:$|;))"
)
#: Commands that use a cluster, and the variable that names it.
_ASKING = re.compile(rf"{_TOOL}pedl{_OPTIONS}{_GAP}{_GROUPS}|\bPEDL_MASTER\b")
_INSTALL = rf"\bpip[\d.]*{_GAP}install\b(?:{_GAP}{_WORD})*?{_GAP}"
_PEDL = r"(?:pedl(?![\w.-])|[^\s'\"]*\bpedl-\d)"
#: PEDL installed by pip, or called by a list of words.
_OTHER = re.compile(rf"(?i:{_INSTALL}['\"]?{_PEDL})|\[\s*[\"']pedl[\"'](?=[\],\s])")
_MAGIC = re.compile(r"[ \t]*(?:(?:[\w., \t]+=[ \t]*)?[!%]|pip3?[ \t]+install\b)")
_LINE = re.compile(r"(?:\\\r?\n|[^\n])+")
_END = re.compile(r"\s|\\\r?\n|[;&|()<>`]|\Z")
_MOVE = re.compile(r"(?:\bcd|\bWORKDIR)[ \t]+([\w./+-]+)")

_WITHOUT_EFFECT = ("--local", "-f", "--follow", "--follow-first-trial")
_RUN = "pedl2det run DIR -c CONFIG"
_LOCAL = (
    "pedl2det {} on this machine, and waits until {} trained; "
    "migrate --cluster writes det experiment create"
)
_INSTALLED = "pip install 'pedl2det[run]', pedl2det run DIR -c CONFIG"
_ON_CLUSTER = "pip install determined; the other commands of pedl are those of det"
_LEVELS = 3  # directories to search above a file that is in no repository


@dataclass
class _Draft:
    """The changes of a text and its findings, as they are collected."""

    file: Path
    text: str
    cluster: bool
    spans: list[Span] = field(default_factory=list)
    findings: list[TextFinding] = field(default_factory=list)

    def add(self, at: int, kind: Kind, message: str, help_: str) -> None:
        """Add a finding; a note with the same message only once."""
        if self.file.suffix in (".md", ".markdown"):
            kind = Kind.NOTE  # nothing runs the commands in it
        if kind is Kind.LEFT or message not in {finding.message for finding in self.findings}:
            self.findings.append(TextFinding(RULE, self.line(at), kind, message, help_))

    def line(self, at: int) -> int:
        """The line number of an offset in the text."""
        return self.text.count("\n", 0, at) + 1


def migrate_shell(path_name: str, text: str, cluster: bool) -> TextResult:
    """Rewrite the commands of a text that create experiments of PEDL, and report all others.

    Configs that commands name are read from the file's directory, or from one above. For a
    notebook, the text is the source of one cell.
    """
    draft = _Draft(Path(path_name), text, cluster)
    seen = text
    if path_name.endswith(".ipynb") and not text.lstrip().startswith("%%"):  # only shell lines
        seen = _LINE.sub(lambda at: at[0] if _MAGIC.match(at[0]) else " " * len(at[0]), text)
    created = list(_CREATE.finditer(seen))
    for match in created:
        _create(draft, match)
    for match in _VARIABLE.finditer(seen):
        if re.search(rf"\$[({{]?{match[1]}[)}}]?(?:{_GAP}-\S+{_GAP}\S+)*{_GAP}{_GROUPS}", seen):
            if cluster:
                draft.spans.append(Span(*match.span(2), "det"))
            else:
                message = f"{match[1]}: this variable holds the name of PEDL's command line"
                draft.add(match.start(2), Kind.LEFT, message, f"write {_RUN} where it is used")
    starts = {match.start() for match in created}
    asked = "write det, or DET_MASTER" if cluster else "remove it, or use migrate --cluster"
    for pattern, kind, what, help_ in (
        (_ASKING, Kind.NOTE, "needs a PEDL cluster", asked),
        (_OTHER, Kind.LEFT, "PEDL", _ON_CLUSTER if cluster else _INSTALLED),
    ):
        for match in pattern.finditer(seen):
            if match.start() not in starts:
                draft.add(match.start(), kind, f"{' '.join(match[0].split())}: {what}", help_)
    lines = sorted(draft.line(span.start) for span in draft.spans)
    changes = [TextChange(RULE, line) for line in lines]
    findings = sorted(draft.findings, key=lambda finding: finding.line)
    return TextResult(replaced(text, draft.spans), tuple(changes), tuple(findings))


def _create(draft: _Draft, match: re.Match[str]) -> None:
    """Replace ``pedl experiment create``: by ``det``, or by a command that needs no cluster."""
    at, is_pedl = match.start(), match["tool"] == "pedl"
    if draft.cluster:
        if is_pedl:
            draft.spans.append(Span(at, at + 4, "det"))
        return
    if not match["words"]:
        return  # it is only mentioned
    words = _words(match)
    if words is None and is_pedl:
        message = "pedl experiment create: expected a config, a directory and no other options"
        draft.add(at, Kind.LEFT, message, _RUN)
        return
    new, message, help_ = (_RUN, "", "") if words is None else _local_command(draft, *words, at)
    if is_pedl:
        draft.spans.append(Span(at, match.end(), new))
    else:
        message = "det experiment create needs a Determined cluster; it is not rewritten"
        help_ = f"to train on this machine: {new}"
    draft.add(at, Kind.NOTE, message, help_)


def _words(match: re.Match[str]) -> tuple[str, str] | None:
    """The config and the directory; None if there are options that pedl2det run cannot replace."""
    text, end = match.string, match.end()
    words = re.findall(_WORD, match["words"])
    words = [word for word in words if word not in _WITHOUT_EFFECT]
    before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    is_closed = text[end : end + 1] in ("'", '"') and before.count(text[end]) % 2
    is_whole = is_closed or _END.match(text, end)
    if not is_whole or len(words) != 2 or any(word.startswith("-") for word in words):
        return None
    return words[0], words[1]


def _local_command(draft: _Draft, config: str, directory: str, at: int) -> tuple[str, str, str]:
    """The command that trains on this machine, and the note about it, with what to write."""
    arguments = f"{directory} -c {config}"
    searchers = set(_searchers(draft, config.strip("'\""), at))
    if len(searchers) == 1 and searchers.isdisjoint({"single", ""}):
        message = _LOCAL.format("search trains the trials of a search", "they are")
        help_ = "it needs pip install 'pedl2det[run,search]'"
        return f"pedl2det search {arguments}", message, help_
    # For a search that cannot be read here, ``pedl2det run`` says that it trains one trial.
    return f"pedl2det run {arguments}", _LOCAL.format("run trains", "it is"), ""


def _searchers(draft: _Draft, config: str, at: int) -> Iterator[str]:
    """Yield the searchers of the configs that a command may mean; "" for a config without one."""
    above = draft.file.resolve().parents
    levels = (level for level, top in enumerate(above, 1) if (top / ".git").exists())
    inside = next(levels, _LEVELS)
    moves = [Path(), *map(Path, _MOVE.findall(draft.text, 0, at))]
    for path in {top / move / config for top in above[:inside] for move in (*moves, Path(*moves))}:
        try:
            if path.is_file():
                yield Config.read(path).scalar("searcher", "name")
        except Unreadable:
            pass
