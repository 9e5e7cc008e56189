"""Keep the parameters that a docstring describes in line with those of its function."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import libcst as cst

_HEADER = re.compile(r"\s*(Args|Arguments|Parameters|Params):?\s*$")
_UNDERLINE = re.compile(r"\s*-+\s*$")


def with_parameters(function: Any, dropped: Collection[str], added: str | None) -> Any:
    """Return a function whose docstring describes another parameter instead of dropped ones.

    Args:
        function: the function's node, edited.
        dropped: the names of the parameters that are gone.
        added: the name by which it takes the context; None if it does not.
    """
    if not dropped or not isinstance(function.body, cst.IndentedBlock):
        return function
    first = function.body.body[0] if function.body.body else None
    match first:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString() as string)]):
            text = described(string.raw_value, dropped, added)
            if text == string.raw_value:
                return function
            value = string.with_changes(value=f"{string.prefix}{string.quote}{text}{string.quote}")
            return function.with_deep_changes(first.body[0], value=value)
    return function


def described(text: str, dropped: Collection[str], added: str | None) -> str:
    """Return a docstring's text without the entries of dropped parameters."""
    kept: list[str] = []
    within: int | None = None
    in_section = False
    entry = re.compile(rf"\s*(:(?:param|type)\s.*?)?\*{{0,2}}({'|'.join(dropped)})\b[^:]*:")
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if within is not None and line.strip() and indent > within:
            continue
        within = None
        found = entry.match(line)
        if found and (in_section or found[1]):
            within = indent
            if added is not None and not _UNDERLINE.match(kept[-1]):
                kept.append(f"{line[:indent]}{found[1] or ''}{added}: the context of the trial.")
                added = None
            continue
        in_section = bool(_HEADER.match(line)) or (in_section and bool(line.strip()))
        kept.append(line)
    if kept == text.split("\n"):
        return text
    kept = _without_empty_section(kept)
    is_short = not "".join(kept[1:]).strip()
    return kept[0].rstrip() if is_short else "\n".join(kept)


def _without_empty_section(lines: Sequence[str]) -> list[str]:
    """Return lines without a header below which nothing is left."""
    kept = list(lines)
    for at, line in enumerate(kept):
        if _HEADER.match(line):
            end = at + 2 if at + 1 < len(kept) and _UNDERLINE.match(kept[at + 1]) else at + 1
            if end < len(kept) and kept[end].strip():
                return kept
            start = at - 1 if at and not kept[at - 1].strip() else at
            return [*kept[:start], *kept[end:]]
    return kept
