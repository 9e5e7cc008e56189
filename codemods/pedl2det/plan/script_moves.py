"""The statements of a script on their way into its trial, as libcst nodes with all their edits."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from pedl2det.edit.making import Edit
from pedl2det.plan import Plan
from pedl2det.script.parts import Parts


@dataclass
class Moves:
    """Catches every statement that moves, when the rules have edited it.

    Attributes:
        parts: the script.
    """

    parts: Parts
    _lines: dict[int, list[Any]] = field(default_factory=dict)
    _comments: dict[int, list[Any]] = field(default_factory=dict)

    def plan(self, plan: Plan, rule: str) -> None:
        """Take every statement that moves out of the module, and what stood around them."""
        edits = plan.file(self.parts.source)
        for statement in self.parts.moving:
            edits.move(statement, self._caught(statement))
            plan.changed(rule, self.parts.source, statement)
        for wrapper in self.parts.wrappers:
            edits.move(wrapper, self._unwrapped(wrapper))

    def of(self, statements: Sequence[ast.stmt]) -> list[Any]:
        """Some statements in their order, below the comments that stood above them."""
        found: list[Any] = []
        for statement in statements:
            lines = list(self._lines[statement.lineno])
            above = [
                comment
                for line in sorted(self._comments)
                if line <= statement.lineno
                for comment in self._comments.pop(line)
            ]
            lines[0] = lines[0].with_changes(leading_lines=[*above, *lines[0].leading_lines])
            found += lines
        if found:
            found[0] = found[0].with_changes(leading_lines=_without_blank(found[0].leading_lines))
        return found

    @property
    def left_comments(self) -> list[Any]:
        """Comments below the last statement."""
        return [comment for line in sorted(self._comments) for comment in self._comments[line]]

    def clear(self) -> None:
        """Forget everything, so that the edits can be made again."""
        self._lines.clear()
        self._comments.clear()

    def _caught(self, statement: ast.stmt) -> Edit:
        def edit(updated: Any) -> Any:
            is_many = isinstance(updated, cst.FlattenSentinel)
            self._lines[statement.lineno] = list(updated) if is_many else [updated]
            return cst.RemovalSentinel.REMOVE

        return edit

    def _unwrapped(self, wrapper: ast.stmt) -> Edit:
        def edit(updated: Any) -> Any:
            comments = [line for line in updated.leading_lines if line.comment]
            body = getattr(updated, "body", None)
            header = getattr(body, "header", None) or getattr(updated, "trailing_whitespace", None)
            if header is not None and header.comment:
                comments.append(cst.EmptyLine(comment=header.comment))
            self._comments.setdefault(wrapper.lineno, []).extend(comments)
            footer = [line for line in getattr(body, "footer", ()) if line.comment]
            self._comments.setdefault(wrapper.end_lineno or 0, []).extend(footer)
            return cst.RemovalSentinel.REMOVE

        return edit


def comments_in(node: Any) -> list[str]:
    """The comments within the code of a statement."""
    code = cst.Module([node]).code
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def _without_blank(lines: Sequence[Any]) -> list[Any]:
    first = next((i for i, line in enumerate(lines) if line.comment), len(lines))
    return list(lines[first:])
