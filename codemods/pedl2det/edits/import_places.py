"""Add an imported name to a module, in the group where it belongs."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Sequence

from pedl2det.analysis.source import lines_of, newline_of
from pedl2det.edits.import_statements import Import, Wanted, imported, module_of
from pedl2det.edits.spans import Span, apply

#: No line of imports has more columns.
LONGEST = 100
_COMMENT = re.compile(r"[ \t]*#[^\r\n]*")


def with_import(text: str, one: Import, wanted: Wanted) -> str:
    """Return the text of a module with one more imported name."""
    body = ast.parse(text).body
    lines = lines_of(text)
    newline = newline_of(text)
    used = next((at for at, node in enumerate(body) if reads(node, one.local)), len(body))
    merged = _merged(lines, body[:used], one)
    if merged is not None:
        return merged
    group = wanted.group(one.module)
    is_determined = group == 1 and one.module.startswith("determined")
    beside = [at for at in range(used) if is_determined and _is_of_determined(body[at])]
    node = ast.parse(one.statement).body[0]
    if beside:
        later = [at for at in beside if _sort_key(body[at]) > _sort_key(node)]
        line = body[later[0]].lineno - 1 if later else _end(body[beside[-1]])
        return "".join([*lines[:line], one.statement + newline, *lines[line:]])
    at = _place(body[:used], group, node, wanted)
    while _is_amid_a_line(body, at):
        at -= 1  # a line with several statements stays whole
    first_place = next((n for n, one in enumerate(body) if not _is_first(n, one)), len(body))
    if at < first_place:
        at = first_place
        while _is_amid_a_line(body, at):
            at += 1
    start = _end(body[at - 1]) if at else 0
    end = _start(body[at]) if at < len(body) else len(lines)
    if at == len(body) and lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += newline
    above, new = _spaced(body, at, lines[start:end] if at else [], group, wanted)
    above = [line or newline for line in above]
    first = lines[:start] if at else lines[:end]
    return "".join(
        [
            *first,
            *above,
            one.statement + newline,
            *(new_line or newline for new_line in new),
            *lines[end:],
        ]
    )


def _is_amid_a_line(body: Sequence[ast.stmt], at: int) -> bool:
    return 0 < at < len(body) and _start(body[at]) < _end(body[at - 1])


def _is_first(at: int, node: ast.stmt) -> bool:
    """Whether nothing may stand above a statement: documentation, and imports of the future."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return _is_future(node) or (at == 0 and is_text)


def _start(node: ast.stmt) -> int:
    lines: list[int] = [one.lineno for one in getattr(node, "decorator_list", ())]
    return min([node.lineno, *lines]) - 1


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def reads(node: ast.AST, name: str) -> bool:
    """Whether code reads a name at once, which the bodies of functions do not."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Name) and one.id == name:
            return True
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            returns = [one.returns] if one.returns is not None else []
            waiting += [*one.decorator_list, one.args, *returns]
        else:
            waiting += ast.iter_child_nodes(one)
    return False


def _is_of_determined(statement: ast.stmt) -> bool:
    return any(one.partition(".")[0] == "determined" for one in imported(statement)[:1])


def _spaced(
    body: Sequence[ast.stmt],
    at: int,
    between: list[str],
    group: int,
    wanted: Wanted,
) -> tuple[list[str], list[str]]:
    """The lines above and below a new import; an empty text is a blank line.

    Args:
        body: the statements of the module.
        at: the index of the statement below.
        between: the lines between the statements above and below.
        group: its group.
        wanted: what the imports shall be.
    """
    before, after = body[at - 1] if at else None, body[at] if at < len(body) else None
    comments = [line for line in between if line.strip()]
    if after is None:
        return ([""] if before and wanted.group_of(before) != group else []), between
    if imported(after) and not (before and imported(before)):  # in front of all imports
        blank = [line for line in between if not line.strip()]
        return blank, [*([] if wanted.group_of(after) == group else [""]), *comments]
    is_same = wanted.group_of(before) == group and not _is_future(before)
    above = [] if is_same or before is None else [""]
    if wanted.group_of(after) == group:
        divided = _is_future(before) or wanted.group_of(before) not in (None, group)
        return above, comments if at == 0 or divided else between
    if between and not between[0].strip():
        return above, between
    is_tight = isinstance(after, ast.FunctionDef | ast.ClassDef) and len(comments) == len(between)
    return above, [*[""] * (2 if is_tight else 1), *between]


def _is_future(statement: ast.AST | None) -> bool:
    return any(one.startswith("__future__") for one in imported(statement)[:1])


def _merged(lines: list[str], body: Sequence[ast.stmt], one: Import) -> str | None:
    """The name added to an import of the same module."""
    for node in body if one.name else ():
        if not isinstance(node, ast.ImportFrom) or node.level or node.names[0].name == "*":
            continue
        if module_of(node) != one.module:
            continue
        first, last = node.lineno - 1, _end(node)
        text = "".join(lines[first:last])
        if not text.isascii():
            continue  # columns are counted in bytes
        before = [0, *itertools.accumulate(map(len, lines[first:last]))]
        starts = [before[alias.lineno - 1 - first] + alias.col_offset for alias in node.names]
        alias = node.names[-1]
        end = before[(alias.end_lineno or 1) - 1 - first] + (alias.end_col_offset or 0)
        between = text[starts[0] : starts[1]].partition(",")[2] if len(starts) > 1 else " "
        between = _COMMENT.sub("", between)
        at = sum(alias.name < (one.name or "") for alias in node.names)
        span = Span(end, end, f",{between}{one.alias}")
        if at < len(starts):
            span = Span(starts[at], starts[at], f"{one.alias},{between}")
        new = apply(text, [span])
        if "\n" not in new.strip() and len(new.rstrip()) > LONGEST:
            return None
        return "".join([*lines[:first], new, *lines[last:]])
    return None


def _place(body: Sequence[ast.stmt], group: int, node: ast.stmt, wanted: Wanted) -> int:
    """Where a new import statement stands among the statements of a module."""
    groups = [
        (index, wanted.group_of(one))
        for index, one in enumerate(body)
        if imported(one) and not _is_future(one)
    ]
    same = [index for index, other in groups if other == group]
    if same:
        later = (index for index in same if _sort_key(body[index]) > _sort_key(node))
        return next(later, same[-1] + 1)
    earlier = [index for index, other in groups if other is not None and other < group]
    if earlier:
        return earlier[-1] + 1
    return groups[0][0] if groups else _after_head(body)


def _after_head(body: Sequence[ast.stmt]) -> int:
    """The place after the docstring and ``from __future__`` imports."""
    for index, node in enumerate(body):
        if not _is_future(node) and (index or not isinstance(node, ast.Expr)):
            return index
    return len(body)


def _sort_key(node: ast.stmt) -> tuple[int, str]:
    if isinstance(node, ast.ImportFrom):
        return 1, node.module or ""
    return 0, (imported(node) or [""])[0]
