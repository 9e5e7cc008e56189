"""Migrate requirements on PEDL (R301), and those that cannot be met beside it (R302).

Lists of lines are edited; what other files require is only named.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Literal

from packaging.specifiers import SpecifierSet

from pedl2det.edits.spans import Span, apply
from pedl2det.texts.needs import (
    CLUSTER,
    CLUSTER_HARNESSES,
    LOCAL_HARNESSES,
    Needs,
    is_harness,
    is_old_wheel,
    met_instead,
    name_of,
    needs,
    parse,
    replacement,
    target,
)
from pedl2det.texts.results import TextChange, TextFinding, TextResult

#: Where a migrated trial is, seen from a file.
PlaceOfTrial = Literal["around", "below", ""]

REQUIRED, PINNED = "R301", "R302"

_LISTS = re.compile(
    r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.(?:txt|in)", re.IGNORECASE
)
_OTHERS = {"pyproject.toml", "setup.cfg", "setup.py", "environment.yaml", "environment.yml"}
_LINE = re.compile(r"(?:\\\r?\n|[^\n])*")
_OPTION = re.compile(r"[ \t\\\r\n]+--[a-z][\w-]*(?:[= \t]\S+)?")
_COMMENT = re.compile(r"(?:^|[ \t])#.*", re.DOTALL)
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_PINNED = re.compile(r"^[^;]*(?:[=~]=|<)")
#: What is in front of a requirement in ``setup.cfg`` and ``environment.yml``.
_ITEM = re.compile(r"[ \t]*(?:-[ \t]+|\w+[ \t]*=[ \t]*)?")
#: PEDL as a key of ``pyproject.toml``.
_KEY = re.compile(r"[ \t]*(?:\[.*\.)?[\"']?pedl[\"']?[ \t]*[=\]]")
#: The first Determined that trains a migrated trial, and why.
_HARNESS_NEEDS = {
    "determined": (
        SpecifierSet(">=0.26"),
        "its images have an older TensorFlow than the 2.15 that a migrated trial needs",
        "remove the line, or raise the version",
    ),
    "determined-cli": (
        SpecifierSet("<0"),
        "since Determined 0.15 it is a part of determined",
        CLUSTER,
    ),
}


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
        path_name: the file: a list of requirements or constraints; those of ``setup.py``,
            ``setup.cfg``, ``pyproject.toml`` and ``environment.yml`` are only named.
        text: the text.
        cluster: whether the team has a Determined cluster: then ``determined`` is required, and
            ``pedl2det[run]`` otherwise.
        trial: where a migrated trial is: in a directory around the file, below the file's
            directory, or elsewhere.
        left_out: rules that the user does not want.
    """
    path = PurePath(path_name)
    new = target(cluster)
    if "constraints" in path.name.lower():
        new = new.partition("[")[0]  # a constraint has no extras
    required = list(_required(path, text))
    names = {name_of(one) for _, one in required}
    has_old = any(is_old_wheel(one) for _, one in required)
    serves_local = has_old or not names.isdisjoint(LOCAL_HARNESSES)
    serves_cluster = not names.isdisjoint(CLUSTER_HARNESSES)
    is_local = not cluster and not serves_cluster
    is_raised = is_local and (serves_local or trial == "around") and PINNED not in left_out
    needed = needs(not is_local) if trial or serves_local or serves_cluster else {}
    if not _is_list(path):
        left = _named(path.name, required, new, needed if is_raised else {})
        result = TextResult(text, (), tuple(left))
    else:
        result = _in_list(text, new, needed if is_raised else {})
    findings = [*result.findings, *_old_harnesses(required)]
    if not is_raised:
        findings += _too_old(required, needed, cluster)
    elif result.changes or result.findings:
        findings += _not_compared(path, required, needed)
    return replace(result, findings=tuple(sorted(findings, key=lambda one: one.line)))


def without_harness(path_name: str, text: str, instead: Sequence[str]) -> str | None:
    """Require TensorFlow in place of PEDL, Determined or pedl2det.

    Args:
        path_name: the file.
        text: the text.
        instead: what is required, unless the file requires these packages already.

    Returns:
        The new text; None if the file requires a harness in a way that is not edited: it is no
        plain list, or has hashes.
    """
    path = PurePath(path_name)
    required = list(_required(path, text))
    has_harness = any(is_harness(one) for _, one in required)
    if not _is_list(path) or "--hash" in text:
        return None if has_harness else text
    needed = needs(cluster=True)
    names = {name_of(met_instead(one, needed) or one) for _, one in required}
    missing = [one for one in instead if name_of(one) not in names]
    spans = []
    for place in _places(text):
        raised = met_instead(place.text, needed)
        if is_harness(place.text):
            new = Span(place.start, place.end, "\n".join(missing))
            spans.append(new if missing else _whole_line(text, place))
            missing = []
        elif raised is not None:
            spans.append(Span(place.start, place.end, raised))
    new_text = apply(text, spans)
    if has_harness or path.name != "requirements.txt":
        return new_text
    return "\n".join([*new_text.splitlines(), *missing, ""])


@dataclass(frozen=True)
class _Place:
    """One requirement in a list.

    Attributes:
        start: its first character.
        end: the character after its last one, with the options that belong to it.
        text: the requirement, without comments and options.
    """

    start: int
    end: int
    text: str


def _is_list(path: PurePath) -> bool:
    return path.suffix in (".txt", ".in")


def _required(path: PurePath, text: str) -> Iterator[tuple[int, str]]:
    """Every requirement with its line; in a file that is no list, all that may be one."""
    if _is_list(path):
        text = text.removeprefix("\ufeff")
        for place in _places(text):
            yield text.count("\n", 0, place.start) + 1, place.text
        return
    for number, line in enumerate(text.splitlines(), 1):
        code = _COMMENT.sub("", line)
        quoted = [one or other for one, other in _QUOTED.findall(code)]
        found = ["pedl"] if _KEY.match(code) else quoted or [_ITEM.sub("", code, count=1)]
        yield from ((number, one.strip()) for one in found)


def _places(text: str) -> Iterator[_Place]:
    """Requirements one a line; a backslash continues a line."""
    for line in _LINE.finditer(text):
        body = _COMMENT.sub("", line[0])
        bare = _OPTION.sub("", body).rstrip(" \t\r\n\\")
        if bare.strip():
            start = line.start() + len(bare) - len(bare.lstrip())
            yield _Place(start, line.start() + len(body.rstrip(" \t\r\n")), bare.strip())


def _in_list(text: str, new: str, needed: Needs) -> TextResult:
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(mark)
    found = list(_places(body))
    has_new = any(name_of(place.text) == name_of(new) for place in found)
    spans, changes, findings = [], [], []
    for place in found:
        line = body.count("\n", 0, place.start) + 1
        raised = met_instead(place.text, needed)
        written = new if is_old_wheel(place.text) else replacement(place.text, new) or raised
        if written is None:
            continue
        if raised is not None:
            message = "cannot be met beside pedl2det[run], which needs"
            message = f"{place.text} {message} {raised}; raised"
            findings.append(TextFinding(PINNED, line, "note", message))
        elif has_new:
            spans.append(_whole_line(body, place))
            changes.append(TextChange(REQUIRED, line, f"{place.text} goes: {new} is required"))
            continue
        spans.append(Span(place.start, place.end, written))
        rule = PINNED if raised else REQUIRED
        changes.append(TextChange(rule, line, f"{place.text} is {written}"))
        if "--hash" in body[place.start : place.end]:
            message = f"{written} has no hashes here, and pip requires one of each line"
            findings.append(
                TextFinding(rule, line, "left", message, "compile the requirements again")
            )
    return TextResult(mark + apply(body, spans), tuple(changes), tuple(findings))


def _old_harnesses(required: Sequence[tuple[int, str]]) -> Iterator[TextFinding]:
    """Name versions of Determined that train no migrated trial."""
    for line, text in required:
        name = name_of(text)
        if name in _HARNESS_NEEDS:
            needed, why, help_ = _HARNESS_NEEDS[name]
            if met_instead(text, {name: needed}):
                yield TextFinding(PINNED, line, "note", f"{text}: {why}", help_)


def _too_old(
    required: Sequence[tuple[int, str]], needed: Needs, cluster: bool
) -> Iterator[TextFinding]:
    """Name what a migrated trial cannot be trained with, in a file that may serve other code."""
    for line, text in required:
        new = met_instead(text, needed)
        if new is not None:
            help_ = f"remove the line, or write {new}"
            help_ += "; on a cluster, the image brings TensorFlow" if cluster else ""
            message = f"{text}: a migrated trial needs {new}"
            yield TextFinding(PINNED, line, "note", message, help_)


def _not_compared(
    path: PurePath, required: Sequence[tuple[int, str]], needed: Needs
) -> Iterator[TextFinding]:
    """Name the pins of packages of which nothing is known here, and unknown versions."""
    pins = []
    for line, text in required:
        requirement = parse(text)
        if requirement is None or name_of(text) in LOCAL_HARNESSES or not _PINNED.search(text):
            continue
        is_compared = name_of(text) in needed and requirement.specifier
        if not is_compared and met_instead(text, needed) is None:
            pins.append((line, text))
    if pins:
        message = f"whether Python 3.11 has {', '.join(text for _, text in pins)} was not checked"
        help_ = f"pip install --dry-run -r {path.name}" if _is_list(path) else ""
        yield TextFinding(PINNED, pins[0][0], "note", message, help_)


def _whole_line(text: str, place: _Place) -> Span:
    start = text.rfind("\n", 0, place.start) + 1
    end = text.find("\n", place.end)
    return Span(start, len(text) if end < 0 else end + 1, "")


def _named(
    file: str, required: Sequence[tuple[int, str]], new: str, needed: Needs
) -> Iterator[TextFinding]:
    """Name the requirements that cannot be met, of a file that is not edited."""
    for line, text in required:
        if is_old_wheel(text) or replacement(text, new) is not None:
            message = f"{text}: {file} requires PEDL, which no index serves"
            yield TextFinding(REQUIRED, line, "left", message, f'"{new}"')
        elif (raised := met_instead(text, needed)) is not None:
            message = f"{text}: {file} requires it, and a migrated trial needs {raised}"
            yield TextFinding(PINNED, line, "left", message, f'"{raised}"')
