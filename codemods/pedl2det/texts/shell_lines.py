"""Migrate commands of PEDL's command line (N201)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pedl2det.analysis.images import OLD_IMAGE, is_old_image
from pedl2det.edits.spans import Span, apply
from pedl2det.texts.creations import Creation, local_command, read_creation, unknown_options
from pedl2det.texts.needs import met_instead, needs, written
from pedl2det.texts.required import is_harness, is_old_wheel, replacement, target
from pedl2det.texts.results import TextChange, TextFinding, TextResult
from pedl2det.texts.shell_places import Place, is_makefile, places
from pedl2det.texts.shell_words import Word, commands

RULE, PINNED = "N201", "R302"

_EXPERIMENT = ("e", "exp", "experiment")
_CREATE = ("c", "create")
#: Groups of subcommands that PEDL had and Determined has.
_GROUPS = frozenset(
    [
        *("a", "agent", "checkpoint", "cmd", "command", "e", "exp", "experiment", "master"),
        *("notebook", "s", "shell", "slot", "t", "task", "template", "tensorboard", "trial"),
        *("u", "user", "version"),
    ]
)
_HARNESS_COMMANDS = ("pedl", "pedl2det", "det")
_VALUED = ("-m", "--master", "-u", "--user")
_MENTION = re.compile(r"\b(?:pedl|pedl2det|det)(?!\w)")
_ASSIGNED = re.compile(r"(\w+)[:?]?=['\"]?pedl['\"]?")
#: What runs the command in its arguments.
_WRAPPERS = frozenset({"nice", "srun", "timeout", "watch", "xargs"})
_NEW_LINE = re.compile(r"(?<!\\)\n")
_MASTER = re.compile(r"PEDL_MASTER(?:=|$)")
_EXEC_FORM = re.compile(r'(?:CMD|ENTRYPOINT|RUN)[ \t]+\[\s*"pedl"')
_RUN = "pedl2det run DIR -c CONFIG"
_PYTHON_IMAGE = re.compile(r"(?:^|/)python:(\d+\.\d+)")
_PIP = re.compile(r"(?:\S*/)?pip[\d.]*")


@dataclass(frozen=True)
class _Outcome:
    """What becomes of a command: the spans to write, the changes, the findings."""

    spans: tuple[Span, ...] = ()
    changes: tuple[TextChange, ...] = ()
    findings: tuple[TextFinding, ...] = ()


@dataclass(frozen=True)
class _Context:
    """What surrounds a command.

    Attributes:
        file: the file that it is in.
        text: the text.
        cluster: whether the team has a Determined cluster.
        moves: where commands of this part of the text go with ``cd``, each with its place.
    """

    file: Path
    text: str
    cluster: bool
    moves: tuple[tuple[int, str], ...]

    def line(self, at: int) -> int:
        """The line of a character, from 1."""
        return _line(self.text, at)

    def locally(self, creation: Creation, at: int) -> tuple[str, tuple[TextFinding, ...]]:
        """The command that trains on this machine what a command created, with its notes."""
        command, notes = local_command(creation, self.file, self._directories(at))
        line = self.line(at)
        return command, tuple(TextFinding(RULE, line, "note", *note) for note in notes)

    def _directories(self, at: int) -> list[str]:
        """Where commands before a place went; each line of a Makefile begins anew."""
        begin = 0
        if is_makefile(str(self.file)):
            begin = max((one.end() for one in _NEW_LINE.finditer(self.text, 0, at)), default=0)
        return [directory for place, directory in self.moves if begin <= place < at]


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
    outcomes: list[_Outcome] = []
    for place in places(path_name, text):
        every = list(_all_commands(text, place))
        moves = sorted((words[0].start, words[-1].plain) for words in every if _is_move(words))
        context = _Context(Path(path_name), text, cluster, tuple(moves))
        outcomes += [outcome for words in every for outcome in _command(context, words)]
    spans = dict.fromkeys(span for one in outcomes for span in one.spans)
    findings = dict.fromkeys(finding for one in outcomes for finding in one.findings)
    return TextResult(
        apply(text, spans),
        tuple(dict.fromkeys(change for one in outcomes for change in one.changes)),
        tuple(_once(findings)),
    )


def _is_move(words: list[Word]) -> bool:
    """Whether a command changes the directory of those behind it."""
    names = [word.text.lstrip("@+-") for word in words if word.text != "RUN"]
    return len(names) > 1 and names[0] in ("cd", "WORKDIR")


def first_harness_line(path_name: str, text: str) -> int | None:
    """Return the first line that runs or installs PEDL, Determined or pedl2det; None without one.

    Args:
        path_name: the file, as for :func:`migrate_shell`.
        text: the text.
    """
    lines = [
        _line(text, words[0].start)
        for place in places(path_name, text)
        for words in _all_commands(text, place)
        if _needs_harness(text, words)
    ]
    return min(lines, default=None)


def _needs_harness(text: str, words: list[Word]) -> bool:
    install = _install(words)
    if install is not None:
        return any(is_harness(word.plain) for word in words[install + 1 :])
    listed = _EXEC_FORM.match(text, words[0].start)
    if listed or re.match(r'\w+\s+\[\s*"(?:det|pedl2det)"', text[words[0].start : words[-1].end]):
        return True
    for index, word in enumerate(words):
        before = words[:index]
        is_run = all(_is_prefix(one.text) for one in before) or before[0].text in _WRAPPERS
        is_module = index > 0 and before[-1].text == "-m"
        if word.plain.lstrip("@+-") in _HARNESS_COMMANDS and (is_run or is_module):
            return True
        if _is_used(text, _assigned(words, index)):
            return True
    return False


def _once(findings: Sequence[TextFinding] | dict[TextFinding, None]) -> Iterator[TextFinding]:
    """Each message once a file, unless it asks for something."""
    said: set[str] = set()
    for finding in findings:
        if finding.kind == "left" or finding.message not in said:
            said.add(finding.message)
            yield finding


def _all_commands(text: str, place: Place) -> Iterator[list[Word]]:
    """The commands of a place, and those within their words."""
    parts = [(place.start, place.end)]
    while parts:
        for words in commands(text, *parts.pop(), place.placeholders):
            yield words
            for word in words:
                parts += word.inner
                if word.plain != word.text and _MENTION.search(word.plain):
                    parts.append((word.start + 1, word.end - 1))  # bash -c '...'


def _command(context: _Context, words: list[Word]) -> Iterator[_Outcome]:
    text, cluster = context.text, context.cluster
    install = _install(words)
    if install is not None:
        yield from _installed(text, words[install + 1 :], cluster)
        return
    for word in words:
        if _MASTER.match(word.text):
            yield _master(text, word, cluster)
    for index, word in enumerate(words):
        name = word.plain.lstrip("@+-") if index == 0 else word.plain
        rest = _without_global(words[index + 1 :])
        is_first = all(_is_prefix(one.text) for one in words[:index])
        is_run = is_first or words[0].text in _WRAPPERS or _is_create(rest)
        if name == "pedl" and is_run and rest and rest[0].plain in _GROUPS:
            start = word.end - len("pedl") - (word.text != word.plain)
            yield _pedl(context, Word(start, start + 4, "pedl"), words[index + 1 :])
            return
        if name == "det" and is_first and not cluster and _is_create(rest):
            yield _det(context, word, words[index + 1 :])
            return
        if _is_used(text, _assigned(words, index)):
            yield _variable(text, word, cluster)
            return
    if _EXEC_FORM.match(text, words[0].start):
        yield _left(text, words[0], "a command of pedl in a list of words", _RUN)
    elif len(words) > 1 and words[0].text == "FROM":
        old_python = None if cluster else _old_python(words[1].text)
        message = OLD_IMAGE if is_old_image(words[1].text) else old_python
        if message is not None:
            line = _line(text, words[0].start)
            finding = TextFinding(PINNED, line, "note", message, "name a newer image")
            yield _Outcome((), (), (finding,))


def _old_python(image: str) -> str | None:
    """Say which Python pedl2det needs, of an image of an older one."""
    tag = _PYTHON_IMAGE.search(image)
    if tag is None or met_instead(f"python=={tag[1]}.*", needs(cluster=False)) is None:
        return None
    return f"pedl2det needs {written('python', needs(cluster=False))}, and this image has {tag[1]}"


def _assigned(words: list[Word], index: int) -> str | None:
    """The variable that gets the name of PEDL's command line: ``A=pedl``, ``A := pedl``."""
    found = _ASSIGNED.fullmatch(words[index].text)
    if found is not None:
        return found[1]
    is_value = words[index].text == "pedl" and index == 2 and words[1].text in ("=", ":=", "?=")
    return words[0].text if is_value else None


def _is_used(text: str, variable: str | None) -> bool:
    """Whether a variable is run as a command."""
    if variable is None:
        return False
    groups = "|".join(sorted(_GROUPS))
    used = rf"\$[({{]?{re.escape(variable)}[)}}]?[ \t]+(?:-\S+[ \t]+\S+[ \t]+)*(?:{groups})\b"
    return re.search(used, text) is not None


def _is_prefix(text: str) -> bool:
    prefixes = "! $ % > CMD ENTRYPOINT RUN do else env exec if nohup sudo then time until while {"
    return text in prefixes.split() or re.match(r"\w+=", text) is not None or text in "@+-"


def _without_global(words: list[Word]) -> list[Word]:
    """The words after the options of the command line itself."""
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        at += 2 if words[at].text in _VALUED else 1
    return words[at:]


def _is_create(rest: list[Word]) -> bool:
    return len(rest) > 1 and rest[0].plain in _EXPERIMENT and rest[1].plain in _CREATE


def _pedl(context: _Context, name: Word, words: list[Word]) -> _Outcome:
    text, cluster = context.text, context.cluster
    rest = _without_global(words)
    line = _line(text, name.start)
    written = " ".join(["pedl", *(word.text for word in rest[:2])])
    if cluster:
        change = TextChange(RULE, line, f"{written} is a command of det")
        span = Span(name.start, name.end, "det")
        if _is_create(rest):
            return _Outcome((span,), (change,))
        message = f"{written}: det may have other options and subcommands"
        finding = TextFinding(RULE, line, "note", message, "compare with det --help")
        return _Outcome((span,), (change,), (finding,))
    if not _is_create(rest):
        message = f"{written}: asks a PEDL cluster, and pedl2det has none; it stays"
        help_ = "remove it, or use migrate --cluster, which writes det"
        return _Outcome((), (), (TextFinding(RULE, line, "note", message, help_),))
    return _train(context, name, words, rest[2:])


def _train(context: _Context, name: Word, words: list[Word], arguments: list[Word]) -> _Outcome:
    """Write ``pedl2det run`` in place of a creation; without arguments, it is only named."""
    if not arguments:
        return _Outcome()
    text = context.text
    creation = read_creation(arguments)
    if creation is None:
        options = unknown_options(arguments)
        message = (
            f"pedl2det run has nothing like {options[0]}"
            if options
            else ("expected a config and a directory")
        )
        message = f"pedl experiment create: {message}"
        return _left(text, name, message, _RUN)
    end = max(word.end for word in (*words, name))
    new, notes = context.locally(creation, name.start)
    between = text[name.start : end]
    if _redirects(between):
        message = "pedl experiment create: a redirection stands between its words"
        return _left(text, name, message, new)
    change = TextChange(RULE, context.line(name.start), f"pedl experiment create is {new}")
    return _Outcome((Span(name.start, end, new),), (change,), notes)


def _redirects(text: str) -> bool:
    bare = re.sub(r"""'[^']*'|"[^"]*"|\$\([^)]*\)|<[^\s<>][^<>\n]*>""", "", text)
    return re.search(r"[<>]", bare) is not None


def _det(context: _Context, word: Word, words: list[Word]) -> _Outcome:
    """``det`` works where there is a cluster: say what trains without one."""
    creation = read_creation(_without_global(words)[2:])
    new, notes = context.locally(creation, word.start) if creation else ("", ())
    message = "det experiment create needs a Determined cluster; it stays"
    help_ = f"to train on this machine: {new or 'pedl2det run DIR -c CONFIG'}"
    line = context.line(word.start)
    return _Outcome((), (), (TextFinding(RULE, line, "note", message, help_), *notes[1:]))


def _master(text: str, word: Word, cluster: bool) -> _Outcome:
    line = _line(text, word.start)
    if not cluster:
        message = "PEDL_MASTER has no effect on pedl2det"
        return _Outcome((), (), (TextFinding(RULE, line, "note", message, "remove it"),))
    span = Span(word.start, word.start + len("PEDL"), "DET")
    return _Outcome((span,), (TextChange(RULE, line, "PEDL_MASTER is DET_MASTER"),))


def _variable(text: str, word: Word, cluster: bool) -> _Outcome:
    if cluster:
        start = word.start + word.text.rindex("pedl")
        change = TextChange(RULE, _line(text, word.start), "pedl is det")
        return _Outcome((Span(start, start + 4, "det"),), (change,))
    message = f"{word.text}: the name of PEDL's command line, in a variable"
    return _left(text, word, message, f"write {_RUN} where it is used")


def _left(text: str, word: Word, message: str, help_: str) -> _Outcome:
    finding = TextFinding(RULE, _line(text, word.start), "left", message, help_)
    return _Outcome((), (), (finding,))


def _install(words: list[Word]) -> int | None:
    """The place of ``install`` in a command of pip."""
    for index, word in enumerate(words[1:], 1):
        if word.text == "install" and _PIP.fullmatch(words[index - 1].text.lstrip("@+-%")):
            return index
    return None


def _installed(text: str, words: list[Word], cluster: bool) -> Iterator[_Outcome]:
    """What pip installs in place of PEDL, and of what cannot be met beside that."""
    new = target(cluster)
    is_local = not cluster and any(is_harness(word.plain) for word in words)
    for word in words:
        is_old = is_old_wheel(word.plain) or replacement(word.plain, new) is not None
        raised = None if is_old or not is_local else met_instead(word.plain, needs(cluster=False))
        if not is_old and raised is None:
            continue
        line = _line(text, word.start)
        before = text[text.rfind("\n", 0, word.start) + 1 : word.start]
        quote = '"' if before.count("'") % 2 else "'"
        requirement = raised or new
        change = TextChange(RULE, line, f"{word.plain} is {requirement}")
        needs_quotes = re.search(r"[\[<>]", requirement)
        word_text = f"{quote}{requirement}{quote}" if needs_quotes else requirement
        message = f"{word.plain} cannot be met beside {new}, which needs {raised}; raised"
        notes = (TextFinding(PINNED, line, "note", message),) if raised else ()
        yield _Outcome((Span(word.start, word.end, word_text),), (change,), notes)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
