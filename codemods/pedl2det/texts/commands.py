"""Migrate commands of PEDL's command line, wherever a text has them (N201)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from pedl2det.analysis.config import Config
from pedl2det.analysis.images import OLD_IMAGE, is_old_image
from pedl2det.edits.spans import Span, apply
from pedl2det.findings import Unreadable
from pedl2det.texts.needs import is_harness, is_old_wheel, met_instead, needs, replacement, target
from pedl2det.texts.results import Kind, TextChange, TextFinding, TextResult

RULE, PINNED, IGNORED = "N201", "R302", "N203"

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
_OTHER = re.compile(rf"{_TOOL}pedl{_OPTIONS}{_GAP}{_GROUPS}(?:{_GAP}\w+)?")
#: What may stand in front of a command.
_START = re.compile(
    r"(?m)(?:^[ \t$%>!@+-]*|[;&|(`'\"{!@][ \t]*|\b\w+=\S*[ \t]+"
    r"|(?<!\S)(?:CMD|ENTRYPOINT|RUN|-m|do|else|env|exec|if|nohup|sudo|then|time|watch|while)"
    r"[ \t]+)$"
)
_VARIABLE = re.compile(
    rf"(?m)(\w+)[ \t]*[:?]?=[ \t]*['\"]?(pedl)\b['\"]?{_OPTIONS}['\"]?(?=[ \t]*(?:$|;))"
)
_LISTED = re.compile(r"\[\s*[\"'](pedl)[\"'](?=[\],\s])")
_MASTER = re.compile(r"\bPEDL_MASTER\b")
_INSTALL = re.compile(rf"\bpip[\d.]*{_GAP}install\b(?P<words>(?:{_GAP}{_WORD})*)")
_IMAGE = re.compile(r"(?m)^[ \t]*FROM[ \t]+(\S+)")
_HARNESS = re.compile(rf"{_TOOL}(?:pedl2det|pedl|det)(?![\w.-])")
_MAGIC = re.compile(r"[ \t]*(?:(?:[\w., \t]+=[ \t]*)?[!%]|pip3?[ \t]+install\b)")
_LINE = re.compile(r"(?:\\\r?\n|[^\n])+")
_END = re.compile(r"\s|\\\r?\n|[;&|()<>`]|\Z")
_MOVE = re.compile(r"(?:\bcd|\bWORKDIR)[ \t]+([\w./+-]+)")

_WITHOUT_EFFECT = ("--local", "-f", "--follow", "--follow-first-trial")
_TEST = ("-t", "--test", "--test-mode")
_RUN = "pedl2det run DIR -c CONFIG"
_LOCAL = (
    "pedl2det {} on this machine, and waits until {} trained; "
    "migrate --cluster writes det experiment create"
)
_LEVELS = 3  # directories above a file outside of a repository


def is_shell_file(path_name: str) -> bool:
    """Whether a file may hold commands for a shell."""
    path = PurePath(path_name)
    return path.name.startswith(("Dockerfile", "Makefile", "makefile", "GNUmakefile")) or (
        path.suffix in (".bash", ".ipynb", ".markdown", ".md", ".mk", ".sh", ".zsh")
    )


def ignore_note(path_name: str, cluster: bool) -> TextFinding | None:
    """Say that a ``.pedlignore`` needs another name; without a cluster it has no effect.

    The file is not renamed: it is no text of the trial, and version control renames it best.
    """
    if PurePath(path_name).name != ".pedlignore" or not cluster:
        return None
    message = ".pedlignore: det reads .detignore, in the same form"
    return TextFinding(IGNORED, 1, "note", message, "git mv .pedlignore .detignore")


@dataclass
class _Made:
    """What becomes of a text, piece by piece.

    Attributes:
        file: the file.
        text: the text.
        cluster: whether the team has a Determined cluster.
    """

    file: Path
    text: str
    cluster: bool
    spans: list[Span] = field(default_factory=list)
    changes: list[TextChange] = field(default_factory=list)
    findings: list[TextFinding] = field(default_factory=list)

    def write(self, start: int, end: int, new: str, message: str) -> None:
        """Replace a part of the text."""
        self.spans.append(Span(start, end, new))
        self.changes.append(TextChange(RULE, self._line(start), message))

    def say(self, at: int, kind: Kind, message: str, help_: str, rule: str = RULE) -> None:
        """Say something about a place; a note with the same message once."""
        one = TextFinding(rule, self._line(at), kind, message, help_)
        if kind == "left" or message not in {other.message for other in self.findings}:
            self.findings.append(one)

    def leave(self, at: int, message: str, help_: str) -> None:
        """Leave a place to a person; nothing runs what is in Markdown."""
        is_read = self.file.suffix in (".md", ".markdown")
        self.say(at, "note" if is_read else "left", message, help_)

    def _line(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1


def migrate_shell(path_name: str, text: str, cluster: bool) -> TextResult:
    """Rewrite the commands of PEDL in a text.

    ``pedl experiment create CONFIG DIR`` becomes ``det experiment create`` for a cluster and
    ``pedl2det run DIR -c CONFIG`` otherwise, or ``pedl2det search`` if the config describes a
    search; other commands ask a cluster, and become ``det`` or are noted. ``pip install pedl``
    installs what serves the trial.

    Args:
        path_name: the file: a shell script, a Makefile, a Dockerfile, Markdown, or a notebook
            (``.ipynb``), of which the text is the source of one cell. Configs that commands name
            are read from its directory, or from one above.
        text: the text.
        cluster: whether the team has a Determined cluster.
    """
    made = _Made(Path(path_name), text, cluster)
    seen = _seen(path_name, text)
    created = list(_CREATE.finditer(seen))
    for found in created:
        _create(made, found)
    starts = {found.start() for found in created}
    for found in _OTHER.finditer(seen):
        if found.start() not in starts:
            _ask(made, found, seen)
    for found in _VARIABLE.finditer(seen):
        if _is_run(seen, found[1]):
            _name(made, found)
    for found in _LISTED.finditer(seen):
        made.leave(found.start(1), "a command of pedl in a list of words", _RUN)
    for found in _MASTER.finditer(seen):
        if cluster:
            made.write(*found.span(), "DET_MASTER", "PEDL_MASTER is DET_MASTER")
        else:
            made.say(found.start(), "note", "PEDL_MASTER has no effect on pedl2det", "remove it")
    for found in _INSTALL.finditer(seen):
        _install(made, found)
    for found in _IMAGE.finditer(seen):
        if is_old_image(found[1]):
            made.say(found.start(), "note", OLD_IMAGE, "name a newer image", PINNED)
    changes = sorted(made.changes, key=lambda one: one.line)
    findings = sorted(made.findings, key=lambda one: one.line)
    return TextResult(apply(text, made.spans), tuple(changes), tuple(findings))


def first_harness_line(path_name: str, text: str) -> int | None:
    """Return the first line that runs or installs PEDL, Determined or pedl2det; None without one.

    Args:
        path_name: the file, as for :func:`migrate_shell`.
        text: the text.
    """
    seen = _seen(path_name, text)
    places = [one.start() for one in _HARNESS.finditer(seen) if _is_first(seen, one.start())]
    places += [one.start() for one in _VARIABLE.finditer(seen) if _is_run(seen, one[1])]
    for found in _INSTALL.finditer(seen):
        places += [word.start() for word in _words(found) if is_harness(_plain(word[0]))]
    return text.count("\n", 0, min(places)) + 1 if places else None


def _seen(path_name: str, text: str) -> str:
    """The text, with blanks for the code of a notebook's cell that is not for a shell."""
    if not path_name.endswith(".ipynb") or text.lstrip().startswith("%%"):
        return text
    return _LINE.sub(lambda line: line[0] if _MAGIC.match(line[0]) else " " * len(line[0]), text)


def _words(found: re.Match[str]) -> Iterator[re.Match[str]]:
    return re.compile(_WORD).finditer(found.string, *found.span("words"))


def _plain(word: str) -> str:
    return word[1:-1] if word[0] in "'\"" else word


def _is_first(text: str, at: int) -> bool:
    """Whether a command may begin at a place."""
    return _START.search(text[text.rfind("\n", 0, at) + 1 : at]) is not None


def _is_run(text: str, variable: str) -> bool:
    """Whether a variable is run as a command."""
    return (
        re.search(rf"\$[({{]?{variable}[)}}]?(?:{_GAP}-\S+{_GAP}\S+)*{_GAP}{_GROUPS}", text)
        is not None
    )


@dataclass(frozen=True)
class _Creation:
    """The words after ``create``, as pedl2det has them."""

    config: str
    directory: str
    options: tuple[str, ...]

    def command(self, name: str) -> str:
        """The command of pedl2det that does it."""
        return " ".join(["pedl2det", name, self.directory, "-c", self.config, *self.options])


def _create(made: _Made, found: re.Match[str]) -> None:
    """Write what trains without a cluster in place of ``pedl experiment create``."""
    at, is_pedl = found.start(), found["tool"] == "pedl"
    if made.cluster:
        if is_pedl:
            made.write(at, at + 4, "det", "pedl experiment create is a command of det")
        return
    if not found["words"]:
        return  # it is only named
    creation = _read(found)
    if is_pedl and isinstance(creation, str):
        made.leave(at, f"pedl experiment create: {creation}", _RUN)
        return
    new, notes = (_RUN, []) if isinstance(creation, str) else _trains(made, creation, at)
    if is_pedl:
        made.write(at, found.end(), new, f"pedl experiment create is {new}")
    else:
        message = "det experiment create needs a Determined cluster; it stays"
        notes[:1] = [(message, f"to train on this machine: {new}")]
    for message, help_ in notes:
        made.say(at, "note", message, help_)


def _read(found: re.Match[str]) -> _Creation | str:
    """The words after ``create``, or what is in the way."""
    names: list[str] = []
    options: list[str] = []
    words = (word[0] for word in _words(found))
    for word in words:
        if word in _TEST:
            options.append("--test")
        elif word == "--config" and (value := next(words, None)):
            options.append(f"--set {value}")
        elif word.startswith("-") and word not in _WITHOUT_EFFECT:
            return f"pedl2det run has nothing like {word}"
        elif not word.startswith("-"):
            names.append(word)
    text, end = found.string, found.end()
    before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    is_closed = text[end : end + 1] in ("'", '"') and before.count(text[end]) % 2
    if not is_closed and not _END.match(text, end):
        return "a part of a word is in quotes"
    if len(names) != 2:
        return "expected a config and a directory"
    return _Creation(names[0], names[1], tuple(options))


def _trains(made: _Made, creation: _Creation, at: int) -> tuple[str, list[tuple[str, str]]]:
    """The command that trains on this machine, with its notes, each with what to write."""
    is_test = "--test" in creation.options
    named = re.search(r"searcher\.name=['\"]?(\w+)", " ".join(creation.options))
    config = _plain(creation.config)
    searchers = {named[1]} if named else _searchers(made, config, at)
    if not is_test and len(searchers) == 1 and searchers.isdisjoint({"single", ""}):
        message = _LOCAL.format("search trains the trials of a search", "they are")
        return creation.command("search"), [
            (message, "it needs pip install 'pedl2det[run,search]'")
        ]
    notes = [(_LOCAL.format("run trains", "it is"), "")]
    if not is_test and searchers != {"single"}:
        reason = (
            "has no searcher.name" if searchers == {""} else "is not read here: it may be a search"
        )
        message = f"pedl2det run trains one trial, and {config} {reason}"
        help_ = f"for a config whose searcher is not single: {creation.command('search')}"
        notes.append((message, help_))
    return creation.command("run"), notes


def _searchers(made: _Made, config: str, at: int) -> set[str]:
    """The names of the searchers in the configs that a command may mean; empty if one has none."""
    above = made.file.resolve().parents
    inside = next((n for n, one in enumerate(above, 1) if (one / ".git").exists()), _LEVELS)
    moves = [Path(), *map(Path, _MOVE.findall(made.text, 0, at))]
    paths = {top / move / config for top in above[:inside] for move in (*moves, Path(*moves))}
    return {name for path in paths if path.is_file() and (name := _searcher(path)) is not None}


def _searcher(path: Path) -> str | None:
    try:
        entry = Config.read(path).entry("searcher", "name")
    except Unreadable:
        return None
    return (entry.scalar or "") if entry is not None else ""


def _ask(made: _Made, found: re.Match[str], seen: str) -> None:
    """A command that asks a cluster becomes one of ``det``, or is noted."""
    at, written = found.start(), " ".join(re.sub(_OPTIONS, "", found[0], count=1).split())
    if made.cluster and _is_first(seen, at):
        made.write(at, at + 4, "det", f"{written} is a command of det")
        message = f"{written}: det may have other options and subcommands"
        made.say(at, "note", message, "compare with det --help")
    elif made.cluster:
        made.say(at, "note", f"{written}: if it is a command, det has it now", "write det")
    else:
        message = f"{written}: asks a PEDL cluster, and pedl2det has none; it stays"
        made.say(at, "note", message, "remove it, or use migrate --cluster, which writes det")


def _name(made: _Made, found: re.Match[str]) -> None:
    """The name of PEDL's command line, in a variable that is run."""
    if made.cluster:
        made.write(*found.span(2), "det", "pedl is det")
    else:
        message = f"{found[1]}: the name of PEDL's command line, in a variable"
        made.leave(found.start(2), message, f"write {_RUN} where it is used")


def _install(made: _Made, found: re.Match[str]) -> None:
    """What pip installs in place of PEDL, and of what cannot be met beside that."""
    new = target(made.cluster)
    words = list(_words(found))
    is_local = not made.cluster and any(is_harness(_plain(word[0])) for word in words)
    for word in words:
        old = _plain(word[0])
        is_old = is_old_wheel(old) or replacement(old, new) is not None
        raised = None if is_old or not is_local else met_instead(old, needs(cluster=False))
        if not is_old and raised is None:
            continue
        required = raised or new
        before = made.text[made.text.rfind("\n", 0, word.start()) + 1 : word.start()]
        quote = '"' if before.count("'") % 2 else "'"
        quoted = f"{quote}{required}{quote}" if re.search(r"[\[<>]", required) else required
        made.write(*word.span(), quoted, f"{old} is {required}")
        if raised:
            message = f"{old} cannot be met beside {new}, which needs {raised}; raised"
            made.say(word.start(), "note", message, "", PINNED)
