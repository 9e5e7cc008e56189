"""Add an imported name to a module, in the group where it belongs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from pedl2det.edits.first_read import first_read
from pedl2det.edits.import_cleaner import Cleaner
from pedl2det.edits.import_statements import Import, Wanted, dotted, imported

#: Into a line of more columns no name is added.
_LONGEST = 100


def with_import(tree: cst.Module, one: Import, wanted: Wanted, old: Cleaner) -> cst.Module:
    """Return the module with one more imported name."""
    body = list(tree.body)
    used = first_read(body, one.local)
    merged = _merged(tree, one, used)
    if merged is not None:
        return merged
    group = wanted.group(one.module)
    line = cst.parse_statement(one.statement)
    is_determined = group == 1 and one.module.startswith("determined")
    beside = [at for at in range(used) if is_determined and _is_of_determined(body[at])]
    if beside:
        return _beside(tree, line, beside)
    if is_determined and old.old_at is not None and old.old_at <= used:
        return _in_old_place(tree, line, old, wanted)
    at = _place(body[:used], group, line, wanted)
    if at < len(body) and imported(body[at]) and not (at and imported(body[at - 1])):
        line = _as_first(body, at, line, group, wanted)
    else:
        _make_room(body, at, group, wanted)
        line = _separated(body, at, line, group, wanted)
    return tree.with_changes(body=[*body[:at], line, *body[at:]])


def _is_of_determined(statement: Any) -> bool:
    return any(one.partition(".")[0] == "determined" for one in imported(statement)[:1])


def _beside(tree: cst.Module, line: Any, places: Sequence[int]) -> cst.Module:
    """The module with an import among others of its package, in their order."""
    body: list[Any] = list(tree.body)
    for at in places:
        if _sort_key(body[at]) > _sort_key(line):
            body[at : at + 1] = [
                line.with_changes(leading_lines=body[at].leading_lines),
                body[at].with_changes(leading_lines=[]),
            ]
            return tree.with_changes(body=body)
    body.insert(places[-1] + 1, line)
    return tree.with_changes(body=body)


def _in_old_place(tree: cst.Module, line: Any, old: Cleaner, wanted: Wanted) -> cst.Module:
    """The module with an import where the first import of the old API stood."""
    body: list[Any] = list(tree.body)
    at = min(old.old_at or 0, len(body))
    if at < len(body):  # it took the lines over from the deleted import
        is_same = wanted.group_of(body[at]) == 1
        rest = [
            one
            for one in body[at].leading_lines
            if not (is_same or one.comment) or not any(one is line for line in old.old_lines)
        ]
        body[at] = body[at].with_changes(leading_lines=rest)
        if at == 0 and wanted.group_of(body[0]) is None:
            _make_room(body, 0, 1, wanted)  # at the start of a file it had no lines above
    body.insert(at, line.with_changes(leading_lines=old.old_lines))
    old.old_at, old.old_lines = at + 1, []
    return tree.with_changes(body=body)


def _as_first(body: list[Any], at: int, line: Any, group: int, wanted: Wanted) -> Any:
    """A line in front of all imports, which keeps the distance to what is above."""
    lines = body[at].leading_lines
    between = [] if wanted.group_of(body[at]) == group else [cst.EmptyLine(indent=False)]
    comments = [one for one in lines if one.comment is not None]
    body[at] = body[at].with_changes(leading_lines=[*between, *comments])
    return line.with_changes(leading_lines=[one for one in lines if one.comment is None])


def _make_room(body: list[Any], at: int, group: int, wanted: Wanted) -> None:
    """Give the statement behind a new import the blank line that divides the groups."""
    if at >= len(body):
        return
    lines = list(getattr(body[at], "leading_lines", ()))
    before = body[at - 1] if at > 0 else None
    if wanted.group_of(body[at]) == group:
        divided = _is_future(before) or wanted.group_of(before) not in (None, group)
        if at > 0 and not divided:
            return
        lines = [line for line in lines if line.comment is not None]
    elif all(line.comment is not None for line in lines):
        is_definition = isinstance(body[at], cst.FunctionDef | cst.ClassDef)
        lines = [*[cst.EmptyLine(indent=False)] * (2 if is_definition else 1), *lines]
    body[at] = body[at].with_changes(leading_lines=lines)


def _separated(body: list[Any], at: int, line: Any, group: int, wanted: Wanted) -> Any:
    """Put a blank line in front of a new import that starts a group."""
    before = body[at - 1] if at > 0 else None
    is_same = wanted.group_of(before) == group and not _is_future(before)
    if is_same or before is None:
        return line
    return line.with_changes(leading_lines=[cst.EmptyLine(indent=False)])


def _is_future(statement: Any) -> bool:
    return any(one.startswith("__future__") for one in imported(statement)[:1])


def _merged(tree: cst.Module, one: Import, used: int) -> cst.Module | None:
    """The name added to an import of the same module."""
    for index, statement in enumerate(tree.body[:used] if one.name else ()):
        match statement:
            case cst.SimpleStatementLine(
                body=[cst.ImportFrom(module=module, relative=[], names=[*_]) as node]
            ) if dotted(module) == one.module:
                changed = statement.with_changes(body=[_with_name(node, one)])
                bare = changed.with_changes(leading_lines=[])
                text = cst.Module([]).code_for_node(bare).strip()
                if "\n" not in text and len(text) > _LONGEST:
                    return None
                body = [*tree.body[:index], changed, *tree.body[index + 1 :]]
                return tree.with_changes(body=body)
    return None


def _with_name(node: cst.ImportFrom, one: Import) -> cst.ImportFrom:
    """An import with one more name, in the order of the alphabet."""
    assert not isinstance(node.names, cst.ImportStar)
    names, new = list(node.names), one.alias()
    commas = [alias.comma for alias in names[:-1] if isinstance(alias.comma, cst.Comma)]
    between = [*commas, cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))][0]
    at = sum(alias.evaluated_name < (one.name or "") for alias in names)
    if at < len(names):
        new = new.with_changes(comma=between)
    else:
        new = new.with_changes(comma=names[-1].comma)
        names[-1] = names[-1].with_changes(comma=between)
    return node.with_changes(names=[*names[:at], new, *names[at:]])


def _place(body: Sequence[Any], group: int, line: Any, wanted: Wanted) -> int:
    """Where a new import statement stands among the statements of a module."""
    groups = [
        (index, wanted.group_of(statement))
        for index, statement in enumerate(body)
        if (found := imported(statement)) and found[0].partition(".")[0] != "__future__"
    ]
    same = [index for index, other in groups if other == group]
    if same:
        later = (index for index in same if _sort_key(body[index]) > _sort_key(line))
        return next(later, same[-1] + 1)
    earlier = [index for index, other in groups if other is not None and other < group]
    if earlier:
        return earlier[-1] + 1
    return groups[0][0] if groups else _after_head(body)


def _after_head(body: Sequence[Any]) -> int:
    """The place after the docstring and ``from __future__`` imports."""
    for index, statement in enumerate(body):
        match statement:
            case cst.SimpleStatementLine(body=[cst.Expr(), *_]) if index == 0:
                continue
        if "__future__" not in "".join(imported(statement)):
            return index
    return len(body)


def _sort_key(statement: Any) -> tuple[int, str]:
    match statement:
        case cst.SimpleStatementLine(body=[cst.ImportFrom(module=module), *_]):
            return 1, dotted(module)
    return 0, (imported(statement) or [""])[0]
