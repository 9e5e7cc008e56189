"""Commands of the old command line in a text for a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pedl2det.texts.requirement import is_old_wheel, new_requirement

_OLD = re.compile(r"(?<![\w./~$-])pedl(?=[ \t\\\n]|$)")
_SUBCOMMANDS = (
    "agent|checkpoint|cmd|command|e|experiment|master|notebook|shell|slot|task|template|tensorboard"
    "|t|trial|user"
)
_BEFORE = re.compile(
    r"(?:^|[\n;&|({`!]|\b(?:then|do|else|time|nohup|sudo|exec|if|while)[ \t])"
    r"[ \t]*(?:\w+=\S*[ \t]+)*$"
)
_REST = re.compile(r"""(?:"[^"\n]*"|'[^'\n]*'|\\\r?\n|(?<=\S)\#|[^\n;&|<>()`"'\#\\]|\\.)*""")
_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'])+""")
_PIP = re.compile(r"\b(?:pip[\d.]*|uv pip)[ \t]+install\b")
_EXPERIMENT = ("e", "exp", "experiment")
_CREATE = ("c", "create")
_TEST = ("--test", "--test-mode")
_NOTHING_HERE = ("--local", "-f", "--follow", "--follow-first-trial")
_WITHIN = "a command within another command"


@dataclass(frozen=True)
class Command:
    """One use of the old command line, or one installation of it.

    Attributes:
        start: where it begins.
        end: where it ends.
        new: what shall stand there; None where it stays.
        why: why it stays.
        trains: whether it trains now.
    """

    start: int
    end: int
    new: str | None
    why: str = ""
    trains: bool = False


def commands(text: str) -> Iterator[Command]:
    """Every use and every installation of the old command line in a text."""
    pips = [found for found in _PIP.finditer(text) if not _is_comment(text, found.start())]
    for found in _OLD.finditer(text):
        at = found.start()
        if any(pip.end() <= at < _end_of_command(text, pip.end()) for pip in pips):
            continue
        if _is_comment(text, at):
            continue
        if _BEFORE.search(text[:at]) and _is_unquoted(_line_before(text, at)):
            yield _command(text, at)
        elif re.match(rf"pedl[ \t]+(?:-\S+[ \t]+)*(?:{_SUBCOMMANDS})\b", text[at:]):
            yield Command(at, found.end(), None, _WITHIN)
    for pip in pips:
        yield from _installed(text, pip.start(), pip.end())


def _command(text: str, start: int) -> Command:
    end = _end_of_command(text, start)
    if text[end : end + 1] in ("<", ">"):
        end = start + len(re.sub(r"[ \t]\d$", "", text[start:end]))  # 2>&1
    elif text[end : end + 1] in ("(", "`"):
        return Command(start, end, None, "a part of it is the output of another command")
    end = start + len(text[start:end].rstrip())
    words = _WORD.findall(re.sub(r"\\\r?\n", " ", text[start:end]))
    if len(words) < 3 or words[1] not in _EXPERIMENT or words[2] not in _CREATE:
        return Command(start, end, None, "it asks a cluster, and there is none")
    given = words[3:]
    names = [word for word in given if not word.startswith("-")]
    unknown = [word for word in given if word.startswith("-") and word not in _TEST + _NOTHING_HERE]
    if unknown:
        return Command(start, end, None, f"pedl2det run has nothing like {unknown[0]}")
    if len(names) != 2:
        return Command(start, end, None, "expected a config and a directory")
    config, directory = names
    test = " --test" if any(word in _TEST for word in given) else ""
    return Command(start, end, f"pedl2det run {directory} -c {config}{test}", trains=True)


def _installed(text: str, start: int, at: int) -> Iterator[Command]:
    is_unquoted = _is_unquoted(_line_before(text, start))
    for word in _WORD.finditer(text, at, _end_of_command(text, at)):
        plain = word[0].strip("\"'")
        new = new_requirement(plain)
        if is_old_wheel(plain):
            why = "a file with the old API: install 'pedl2det[run]'"
            yield Command(word.start(), word.end(), None, why)
        elif new is not None and not is_unquoted:
            yield Command(start, at, None, _WITHIN)
        elif new is not None:
            yield Command(word.start(), word.end(), f"'{new}'")


def _line_before(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 : at]


def _is_comment(text: str, at: int) -> bool:
    return re.search(r"(?:^|\s)#", _without_quoted(_line_before(text, at))) is not None


def _end_of_command(text: str, at: int) -> int:
    rest = _REST.match(text, at)
    assert rest is not None
    return rest.end()


def _is_unquoted(line: str) -> bool:
    return not re.search("[\"']", _without_quoted(line))


def _without_quoted(line: str) -> str:
    return re.sub(r""""[^"]*"|'[^']*'""", "", line)
