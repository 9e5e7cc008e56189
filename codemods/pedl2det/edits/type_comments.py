"""Keep type comments right when parameters change."""

from __future__ import annotations

import ast
import re
from typing import Any

import libcst as cst

_SIGNATURE = re.compile(r"# type: \((?P<types>.*)\) -> (?P<result>.+)")
_TYPE_COMMENT = re.compile(r"#[ \t]*type:(?![ \t]*ignore)(.+)")
_DOTTED = re.compile(r"[^\W\d][\w.]*")


def names_in_type_comments(text: str) -> set[str]:
    """The names in the type comments of a file, with their dots."""
    return {name for types in _TYPE_COMMENT.findall(text) for name in _DOTTED.findall(types)}


def with_type_comment(original: Any, updated: Any) -> Any:
    """A function with its type comment, ``# type: (str) -> int``, fitted to its parameters.

    Types of parameters that went go too. A parameter that came has no type to write: then the
    comment speaks of the result alone, ``# type: (...) -> int``.

    Args:
        original: the function before the edits.
        updated: the function after them.
    """
    before, after = _names(original), _names(updated)
    if before == after or not isinstance(updated.body, cst.IndentedBlock):
        return updated
    block = updated.body
    comment = block.header.comment
    if comment is not None and _SIGNATURE.match(comment.value):
        new = comment.with_changes(value=_fitted(comment.value, before, after))
        return updated.with_changes(
            body=block.with_changes(header=block.header.with_changes(comment=new))
        )
    if not block.body:
        return updated
    first: Any = block.body[0]
    lines = [_line(one, before, after) for one in first.leading_lines]
    body = [first.with_changes(leading_lines=lines), *block.body[1:]]
    return updated.with_changes(body=block.with_changes(body=body))


def _line(line: cst.EmptyLine, before: list[str], after: list[str]) -> cst.EmptyLine:
    if line.comment is None or not _SIGNATURE.match(line.comment.value):
        return line
    text = _fitted(line.comment.value, before, after)
    return line.with_changes(comment=line.comment.with_changes(value=text))


def _names(function: Any) -> list[str]:
    parameters = function.params
    found = [*parameters.posonly_params, *parameters.params]
    found += [parameters.star_arg] if isinstance(parameters.star_arg, cst.Param) else []
    found += parameters.kwonly_params
    found += [parameters.star_kwarg] if parameters.star_kwarg is not None else []
    return [one.name.value for one in found]


def _fitted(comment: str, before: list[str], after: list[str]) -> str:
    found = _SIGNATURE.match(comment)
    assert found is not None
    if found["types"] == "...":
        return comment
    types = _types(found["types"])
    named = before[1:] if before[:1] in (["self"], ["cls"]) else before
    if types is not None and len(types) == len(before):
        named = before
    if types is None or len(named) != len(types) or set(after) - set(before):
        return f"# type: (...) -> {found['result']}"
    kept = [text for name, text in zip(named, types, strict=True) if name in after]
    return f"# type: ({', '.join(kept)}) -> {found['result']}"


def _types(text: str) -> list[str] | None:
    """The types of a type comment; None if they are not Python."""
    try:
        tree = ast.parse(f"({text}) -> None", mode="func_type")
    except SyntaxError:
        return None
    return [ast.unparse(one) for one in tree.argtypes]
