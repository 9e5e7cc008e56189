"""Have a module import from ``keras_trial.py`` what it imports from Determined."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pedl2det.analysis.source import Source
from pedl2det.edits.spans import Span, apply
from pedl2det.errors import Pedl2DetError
from pedl2det.support import library

#: The module that holds the pieces.
MODULE = "keras_trial"
PACKAGE = f"{__package__}.pieces"


def detached(source: Source, depth: int = 0) -> tuple[str, set[str]]:
    """Return the text of a module without Determined, and the pieces of ``keras_trial.py`` in it.

    The script is beside the trial's modules, so these are in no package: what they import relative
    to it, they import by its name.

    Args:
        source: the module.
        depth: in how many packages it is below the trial's directory.

    Raises:
        Pedl2DetError: it uses something of Determined that has no counterpart.
    """
    spans, used = [], set()
    below: set[ast.AST] = set()
    imported = {
        dotted
        for node in source.names.of(ast.ImportFrom)
        for _, dotted in _bound(node)
        if not _is_module(dotted)
    }
    for node, piece in _attributes(source):
        spans.append(_span(source, node, f"{MODULE}.{piece}"))
        used.add(piece)
        below |= {*ast.walk(node)}
    for name in source.names.of(ast.Name):
        dotted = source.names.qualified(name)
        if _is_harness(dotted) and name not in below and dotted not in imported:
            raise _unknown(source, name, str(dotted))
    for statement in source.names.of(ast.Import, ast.ImportFrom):
        if isinstance(statement, ast.ImportFrom) and statement.level == depth + 1:
            spans.append(_span(source, statement, _absolute(source, statement)))
        elif any(_is_harness(dotted) for _, dotted in _bound(statement)):
            line, pieces = _import(source, statement)
            spans.append(_span(source, statement, line))
            used |= pieces
    return apply(source.text, spans), used


def _is_harness(dotted: str | None) -> bool:
    return dotted is not None and dotted.partition(".")[0] == "determined"


def _is_module(dotted: str) -> bool:
    """Whether a name of Determined is a module: all that are not written like a class."""
    last = dotted.rpartition(".")[2]
    return last.islower() and last not in library.available(PACKAGE)


def _attributes(source: Source) -> Iterator[tuple[ast.Attribute, str]]:
    """The expressions that name a piece through a module of Determined."""
    for node in source.names.of(ast.Attribute):
        base = source.names.qualified(node.value)
        if base is None or not (_is_harness(base) and _is_module(base)):
            continue
        if _is_module(f"{base}.{node.attr}"):
            continue
        if node.attr not in library.available(PACKAGE):
            raise _unknown(source, node, f"{base}.{node.attr}")
        yield node, node.attr


def _bound(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[ast.alias, str]]:
    """The names that a statement imports, each with its dotted name."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield alias, alias.name
        elif node.level == 0:
            yield alias, f"{node.module}.{alias.name}"


def _import(source: Source, node: ast.Import | ast.ImportFrom) -> tuple[str, set[str]]:
    """What replaces an import from Determined, and the pieces that it imports."""
    lines, pieces, others = [], {}, []
    for alias, dotted in _bound(node):
        text = alias.name if alias.asname is None else f"{alias.name} as {alias.asname}"
        if not _is_harness(dotted):
            others.append(text)
        elif _is_module(dotted):
            lines = [f"import {MODULE}"]
        elif alias.name in library.available(PACKAGE):
            pieces[alias.name] = text
        else:
            raise _unknown(source, node, dotted)
    lines += [f"from {MODULE} import {', '.join(pieces.values())}"] if pieces else []
    lines += [f"import {', '.join(others)}"] if others else []
    indent = source.lines[node.lineno - 1][: node.col_offset]
    return f"\n{indent}".join(lines), {*pieces}


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
