"""Migrate requirements on PEDL (R301), and name pins that nothing builds any more (R302)."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator
from pathlib import PurePath

from packaging.version import Version

from pedl2det.edits.spans import Span, apply
from pedl2det.texts import toml_requirements
from pedl2det.texts.required import (
    CLUSTER,
    allows_only_before,
    is_old_wheel,
    name_of,
    replacement,
    target,
)
from pedl2det.texts.requirement_spans import Place, places
from pedl2det.texts.results import TextChange, TextFinding, TextResult

REQUIRED, PINNED = "R301", "R302"

_LISTS = re.compile(
    r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.(?:txt|in)", re.IGNORECASE
)
_OTHERS = {"pyproject.toml", "setup.cfg", "setup.py", "environment.yaml", "environment.yml"}
_TENSORFLOW = "a migrated trial needs TensorFlow 2.15 or later, with its Keras"
_DETERMINED = "its images have an older TensorFlow than the 2.15 that a migrated trial needs"
#: The first version that trains a migrated trial, and why.
_FIRST = {
    **dict.fromkeys(
        ("keras", "tensorflow", "tensorflow-cpu", "tensorflow-gpu"), ("2.15", _TENSORFLOW)
    ),
    "numpy": ("1.23", "TensorFlow 2.15 needs NumPy 1.23 or later"),
    "determined": ("0.26", _DETERMINED),
    "determined-cli": ("99", "since Determined 0.15 it is a part of determined"),
}
_HARNESSES = {"pedl", "pedl2det", "determined", "determined-cli"}


def is_requirement_file(path_name: str) -> bool:
    """Whether a file is one that tools read requirements from."""
    path = PurePath(path_name)
    in_folder = path.parent.name == "requirements" and path.suffix in (".txt", ".in")
    return in_folder or path.name in _OTHERS or _LISTS.fullmatch(path.name) is not None


def migrate_requirements(path_name: str, text: str, cluster: bool) -> TextResult:
    """Replace every requirement on PEDL.

    Args:
        path_name: the file: requirements, constraints, ``pyproject.toml``, ``setup.cfg``,
            ``environment.yml``; the requirements of ``setup.py``, a program, are only named.
        text: the text.
        cluster: whether the team has a Determined cluster: then ``determined`` is required, and
            ``pedl2det[run]`` otherwise.
    """
    path = PurePath(path_name)
    new = target(cluster)
    if "constraints" in path.name.lower():
        new = new.partition("[")[0]  # a constraint has no extras
    if path.suffix == ".py":
        return TextResult(text, (), tuple(_in_setup(text, new)))
    if path.suffix == ".toml":
        return _in_toml(text, new)
    return _in_lists(path, text, new)


def _in_lists(path: PurePath, text: str, new: str) -> TextResult:
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix(mark)
    found = list(places(path, body))
    has_new = any(name_of(place.text) == name_of(new) for place in found)
    spans, changes, findings = [], [], []
    for place in found:
        written = new if is_old_wheel(place.text) else replacement(place.text, new)
        line = body.count("\n", 0, place.start) + 1
        if written is None:
            continue
        if has_new and path.suffix in (".txt", ".in"):
            spans.append(_whole_line(body, place))
            changes.append(TextChange(REQUIRED, line, f"{place.text} goes: {new} is required"))
            continue
        spans.append(Span(place.start, place.end, written))
        changes.append(TextChange(REQUIRED, line, f"{place.text} is {new}"))
        if "--hash" in body[place.start : place.end]:
            message = f"{new} has no hashes here yet"
            findings.append(
                TextFinding(REQUIRED, line, "note", message, "compile the requirements again")
            )
    lines = [(body.count("\n", 0, place.start) + 1, place.text) for place in found]
    findings += _pins(lines, new)
    return TextResult(mark + apply(body, spans), tuple(changes), tuple(findings))


def _whole_line(text: str, place: Place) -> Span:
    start = text.rfind("\n", 0, place.start) + 1
    end = text.find("\n", place.end)
    return Span(start, len(text) if end < 0 else end + 1, "")


def _pins(lines: list[tuple[int, str]], new: str) -> Iterator[TextFinding]:
    """Name pins that exclude every TensorFlow that trains a migrated trial."""
    if not any(name_of(text) in _HARNESSES for _, text in lines):
        return
    for line, text in lines:
        first, why = _FIRST.get(name_of(text) or "", ("0", ""))
        if allows_only_before(text, Version(first)):
            message = f"{text}: {why}"
            is_part = name_of(text) == "determined-cli"
            help_ = CLUSTER if is_part else "remove the line, or raise the version"
            if new.startswith(CLUSTER) and why == _TENSORFLOW:
                help_ += "; on a cluster, the image brings TensorFlow"
            yield TextFinding(PINNED, line, "note", message, help_)


def _in_toml(text: str, new: str) -> TextResult:
    edit = toml_requirements.replace(text, new)
    if edit.is_refused:
        found = re.search(r"(?m)^[^#\n]*\bpedl\b", text)
        line = text.count("\n", 0, found.start()) + 1 if found else 1
        message = "pedl is required in a way that is not edited"
        return TextResult(text, (), (TextFinding(REQUIRED, line, "left", message, new),))
    changes = [
        TextChange(REQUIRED, number, f"pedl is {new}") for number in _changed_lines(text, edit.text)
    ]
    lines = [(text.count("\n", 0, max(text.find(one), 0)) + 1, one) for one in edit.required]
    return TextResult(edit.text, tuple(changes), tuple(_pins(lines, new)))


def _changed_lines(old: str, new: str) -> Iterator[int]:
    """The lines of an old text that a new one has not."""
    matcher = difflib.SequenceMatcher(None, old.split("\n"), new.split("\n"), autojunk=False)
    for kind, start, end, _, _ in matcher.get_opcodes():
        if kind != "equal":
            yield from range(start + 1, end + 1)


def _in_setup(text: str, new: str) -> Iterator[TextFinding]:
    """Name the requirements of ``setup.py``."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Tuple):
            for item in node.elts:
                value = item.value if isinstance(item, ast.Constant) else None
                if isinstance(value, str) and replacement(value.strip(), new) is not None:
                    message = f"{value}: setup.py requires PEDL, which no index serves"
                    yield TextFinding(REQUIRED, item.lineno, "left", message, f'"{new}"')
