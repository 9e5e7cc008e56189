"""Have a module import from ``keras_trial.py`` what it imports from Determined."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pedl2det.analysis.source import Source
from pedl2det.edits.spans import Span, apply
from pedl2det.errors import Pedl2DetError
from pedl2det.support import library

#: The module that holds the pieces.
MODULE = "keras_trial"
PACKAGE = f"{__package__}.pieces"
_HARNESS = "determined"


@dataclass(frozen=True)
class Detached:
    """A module without Determined.

    Attributes:
        text: its new text.
        used: the pieces that it uses.
    """

    text: str
    used: frozenset[str]


def detached(source: Source, depth: int = 0) -> Detached:
    """Return a module that uses pieces of ``keras_trial.py`` instead of Determined.

    The script is beside the trial's modules, so these are in no package: what they import relative
    to it, they import by its name.

    Args:
        source: the module.
        depth: in how many packages it is below the trial's directory.

    Raises:
        Pedl2DetError: it uses something of Determined that has no counterpart.
    """
    attributes = dict(_attributes(source))
    spans = [_span(source, node, f"{MODULE}.{name}") for node, name in attributes.items()]
    used = {*attributes.values()}
    below = {inner for node in attributes for inner in ast.walk(node)}
    for name in source.names.of(ast.Name):
        meaning = source.names.qualified(name)
        if name not in below and _is_harness(meaning) and meaning not in _imported(source):
            raise _unknown(source, name, str(meaning))
    for node in source.names.of(ast.Import, ast.ImportFrom):
        if isinstance(node, ast.ImportFrom) and node.level == depth + 1:
            spans.append(_span(source, node, _absolute(source, node)))
        elif any(_is_harness(dotted) for _, dotted in _bound(node)):
            line, names = _import(source, node)
            spans.append(_span(source, node, line))
            used |= names
    return Detached(apply(source.text, spans), frozenset(used))


def _is_harness(dotted: str | None) -> bool:
    return dotted is not None and dotted.partition(".")[0] == _HARNESS


def _attributes(source: Source) -> Iterator[tuple[ast.Attribute, str]]:
    """The expressions that name a piece through a module of Determined."""
    for node in source.names.of(ast.Attribute):
        base = source.names.qualified(node.value)
        if base is None or not _is_harness(base) or not _is_module(base):
            continue
        if _is_module(f"{base}.{node.attr}"):
            continue
        if node.attr not in library.available(PACKAGE):
            raise _unknown(source, node, f"{base}.{node.attr}")
        yield node, node.attr


def _is_module(dotted: str) -> bool:
    """Whether a name of Determined is a module: all that are not written like a class."""
    last = dotted.rpartition(".")[2]
    return last.islower() and last not in library.available(PACKAGE)


def _imported(source: Source) -> set[str]:
    """The pieces that a module imports by name, as their dotted names."""
    return {
        dotted
        for node in source.names.of(ast.ImportFrom)
        for _, dotted in _bound(node)
        if not _is_module(dotted)
    }


def _bound(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[ast.alias, str]]:
    """The names that a statement imports, each with its dotted name."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield alias, alias.name
        elif node.level == 0:
            yield alias, f"{node.module}.{alias.name}"


def _import(source: Source, node: ast.Import | ast.ImportFrom) -> tuple[str, frozenset[str]]:
    """The statement that stands for an import from Determined, and the pieces that it imports."""
    pieces, others, has_module = [], [], False
    for alias, dotted in _bound(node):
        text = alias.name if alias.asname is None else f"{alias.name} as {alias.asname}"
        if not _is_harness(dotted):
            others.append(text)
        elif _is_module(dotted):
            has_module = True
        elif alias.name in library.available(PACKAGE):
            pieces.append((alias.name, text))
        else:
            raise _unknown(source, node, dotted)
    lines = [f"import {MODULE}"] if has_module else []
    if pieces:
        lines.append(f"from {MODULE} import {', '.join(text for _, text in pieces)}")
    if others:
        lines.append(f"import {', '.join(others)}")
    indent = source.lines[node.lineno - 1][: node.col_offset]
    return f"\n{indent}".join(lines), frozenset(name for name, _ in pieces)


def _absolute(source: Source, node: ast.ImportFrom) -> str:
    """An import relative to the trial's directory, as one by name."""
    text, dots = source.segment(node), "." * node.level
    if node.module:
        return text.replace(f"{dots}{node.module}", node.module, 1)
    return f"import {text.partition(' import ')[2].strip('() ')}"


def _span(source: Source, node: ast.expr | ast.stmt, text: str) -> Span:
    (first, column), (last, end) = source.span(node)
    return Span(source.offset((first, column)), source.offset((last, end)), text)


def _unknown(source: Source, node: ast.expr | ast.stmt, dotted: str) -> Pedl2DetError:
    return Pedl2DetError(
        f"{source.path}:{node.lineno}: {dotted} has no counterpart in a plain script: take it out "
        "of the trial first"
    )
