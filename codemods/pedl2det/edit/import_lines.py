"""The import statements of a module: which go, where new ones come, and what stood above them."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

import libcst as cst

from pedl2det.edit.making import Edit, Gone, after_docstring, statements
from pedl2det.tables.legacy import is_legacy

#: Comments for tools, which go with the import that they stand beside.
TOOL_COMMENTS = ("# noqa", "# type:", "# pylint", "# isort", "# flake8", "# pragma")


def imports_edit(needed: set[str], unused: set[str], kept: set[str]) -> Edit:
    """The edit of a module's imports.

    Args:
        needed: the import statements that come.
        unused: the local names of imports that go, beside those of the old API.
        kept: the local names of imports that stay in any case.
    """

    def edit(module: Any) -> Any:
        ours = [text for text in needed if _group(text) == "local"]
        body, placed, carried = _without(module.body, unused, kept, _merged(ours))
        if not placed:
            body, ours = _joining(body, ours)
        for text in _merged([text for text in needed if _group(text) != "local"]):
            body = _placed(body, text)
        if ours and not placed:
            at = max([0, *(i + 1 for i, line in enumerate(body) if _import_of(line))])
            at = at or after_docstring(body)
            body = [*body[:at], *_lines(_merged(ours)), *body[at:]]
        if body and not module.header:
            body[0] = _at_the_top(body[0])
        footer = [*carried, *module.footer]
        is_empty = not (body or footer or module.header)
        return module.with_changes(
            body=body,
            footer=footer,
            has_trailing_newline=not is_empty and module.has_trailing_newline,
        )

    return edit


def _without(
    body: Sequence[Any], unused: set[str], stay: set[str], ours: list[str]
) -> tuple[list[Any], bool, list[Any]]:
    """The module without what goes; our imports stand where the first old one stood.

    Returns:
        The statements, whether ours are among them, and the comments after the last one.
    """
    kept: list[Any] = []
    carried: list[Any] = []  # what stood above a line that is gone
    placed = False
    for line in body:
        statement = _import_of(line)
        if _is_gone(line):
            carried = _joined(carried, _above(line))
            continue
        names = _kept_names(statement, unused, stay) if statement else None
        if names is None or (names and names == list(statement.names)):
            kept.append(line.with_changes(leading_lines=_joined(carried, line.leading_lines)))
            carried = []
            continue
        if names:
            names[-1] = names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            left = line.with_changes(body=[statement.with_changes(names=names)])
            above = [*_joined(carried, line.leading_lines), *_comments_lost(line, left)]
            kept.append(left.with_changes(leading_lines=above))
            carried = []
        above = [] if names else _above(line)
        if ours and not placed and _is_old(statement):
            new = _lines(ours)
            new[0] = new[0].with_changes(leading_lines=_joined(carried, above))
            kept += new
            carried, placed = [], True
        else:
            carried = _joined(carried, above)
    return kept, placed, carried if any(line.comment for line in carried) else []


def _is_gone(line: Any) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], Gone)


def _above(line: Any) -> list[Any]:
    """The lines above an import that goes, and its own comment if it is meant for people."""
    comment = line.trailing_whitespace.comment
    lines = [*line.leading_lines, *_comments_lost(line)]
    if comment is not None and not comment.value.startswith(TOOL_COMMENTS):
        lines.append(cst.EmptyLine(comment=comment))
    return lines


def _comments_lost(line: Any, left: Any = None) -> list[Any]:
    """The comments between the parentheses of an import that what is left of it has not."""
    kept = [] if left is None else _comments_in(left)
    lost = [comment for comment in _comments_in(line) if comment not in kept]
    return [
        cst.EmptyLine(comment=cst.Comment(comment))
        for comment in lost
        if not comment.startswith(TOOL_COMMENTS)
    ]


def _comments_in(line: Any) -> list[str]:
    return re.findall(r"#[^\r\n]*", cst.Module([]).code_for_node(line.body[0]))


def _joining(body: list[Any], ours: list[str]) -> tuple[list[Any], list[str]]:
    """Take names into an import from the same module; returns those without one, too."""
    body, rest = list(body), []
    for text in ours:
        module, _, name = text.removeprefix("from ").partition(" import ")
        at = next((i for i, line in enumerate(body) if _can_take(line, module)), None)
        if at is None or " as " in name or not text.startswith("from "):
            rest.append(text)
            continue
        statement = body[at].body[0]
        names = [alias.with_changes(comma=cst.MaybeSentinel.DEFAULT) for alias in statement.names]
        was_sorted = names == sorted(names, key=_local)
        names.append(cst.ImportAlias(cst.Name(name)))
        names = sorted(names, key=_local) if was_sorted else names
        body[at] = body[at].with_changes(body=[statement.with_changes(names=names)])
    return body, rest


def _can_take(line: Any, module: str) -> bool:
    """Whether a line is an import from a module, on one line, to which a name can be added."""
    statement = _import_of(line)
    return (
        isinstance(statement, cst.ImportFrom)
        and not isinstance(statement.names, cst.ImportStar)
        and not statement.relative
        and statement.lpar is None
        and _dotted(statement.module) == module
    )


def _at_the_top(line: Any) -> Any:
    """The first line of a module without the blank lines that stood below what is gone."""
    above = list(line.leading_lines)
    while above and above[0].comment is None:
        above.pop(0)
    return line.with_changes(leading_lines=above)


def _joined(carried: list[Any], leading: Sequence[Any]) -> list[Any]:
    """Leading lines after those of lines that are gone: every comment, blank lines once."""
    only_blank = all(line.comment is None for line in carried)
    if only_blank and any(line.comment is None for line in leading):
        return list(leading)
    return [*carried, *leading]


def _import_of(line: Any) -> Any:
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        statement = line.body[0]
        if isinstance(statement, cst.Import | cst.ImportFrom):
            return statement
    return None


def _kept_names(statement: Any, unused: set[str], stay: set[str]) -> list[Any] | None:
    if isinstance(statement.names, cst.ImportStar):
        return [] if _is_old(statement) and "*" in unused else None
    is_from = isinstance(statement, cst.ImportFrom)
    module = ""
    if is_from and not statement.relative:
        module = f"{_dotted(statement.module)}."
    from_old = is_from and _is_old(statement)
    return [
        name
        for name in statement.names
        if _local(name) in stay
        or not (from_old or is_legacy(f"{module}{_dotted(name.name)}") or _local(name) in unused)
    ]


def _is_old(statement: Any) -> bool:
    if isinstance(statement, cst.ImportFrom):
        return not statement.relative and is_legacy(_dotted(statement.module))
    return any(is_legacy(_dotted(name.name)) for name in statement.names)


def _local(name: Any) -> str:
    return name.asname.name.value if name.asname else _dotted(name.name)


def _dotted(node: Any) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if node is not None else ""


def _merged(texts: list[str]) -> list[str]:
    """Statements in order, with one ``from`` a module."""
    plain = sorted(text for text in texts if text.startswith("import "))
    modules: dict[str, set[str]] = {}
    for text in texts:
        if text.startswith("from "):
            module, _, name = text.removeprefix("from ").partition(" import ")
            modules.setdefault(module, set()).add(name)
    return plain + [
        f"from {module} import {', '.join(sorted(names))}"
        for module, names in sorted(modules.items(), key=lambda item: _group_order(item[0]))
    ]


def _group_order(module: str) -> tuple[bool, str]:
    return module.partition(".")[0] != "determined", module


def _group(text: str) -> str:
    module = text.split()[1].partition(".")[0]
    if module in sys.stdlib_module_names:
        return "stdlib"
    return "third party" if module in ("numpy", "tensorflow") else "local"


def _placed(body: list[Any], text: str) -> list[Any]:
    """Put an import among those of its group, in their order."""
    (new,) = _lines([text])
    for index, line in enumerate(body):
        statement = _import_of(line)
        if statement is None:
            continue
        other = cst.Module([]).code_for_node(statement)
        if other.startswith("from __future__"):
            continue
        group = _group(other) if _group(other) == "stdlib" else "third party"
        if group == _group(text) and _key(other) < _key(text):
            continue
        if group != _group(text) and group == "stdlib":
            continue
        new = new.with_changes(leading_lines=line.leading_lines)
        gap = [] if group == _group(text) else [cst.EmptyLine(indent=False)]
        return [*body[:index], new, line.with_changes(leading_lines=gap), *body[index + 1 :]]
    at = max([0, *(i + 1 for i, line in enumerate(body) if _import_of(line))])
    at = at or after_docstring(body)
    return [*body[:at], new, *body[at:]]


def _key(text: str) -> tuple[bool, str]:
    return text.startswith("from "), text.split()[1]


def _lines(texts: list[str]) -> list[Any]:
    return [line for text in texts for line in statements(f"{text}\n")]
