"""Import statements of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from variants.source import Edit, Source, is_docstring

ImportNode = ast.Import | ast.ImportFrom


def top_imports(source: Source) -> list[ImportNode]:
    """Return the import statements at the top level of a module."""
    return [node for node in source.tree.body if isinstance(node, ImportNode)]


def import_text(node: ImportNode, aliases: Iterable[ast.alias]) -> str:
    """Return a line that imports some of the names that a statement imports."""
    names = ", ".join(f"{one.name} as {one.asname}" if one.asname else one.name for one in aliases)
    if isinstance(node, ast.Import):
        return f"import {names}\n"
    return f"from {'.' * node.level}{node.module or ''} import {names}\n"


def bound_name(alias: ast.alias) -> str:
    """Return the name that a part of an import statement binds."""
    return (alias.asname or alias.name).split(".")[0]


def import_line(source: Source, name: str) -> str | None:
    """Return the line that binds a name, or None where no import at the top level does."""
    lines = [
        import_text(node, [alias])
        for node in top_imports(source)
        for alias in node.names
        if bound_name(alias) == name
    ]
    if not lines or any(name in _other_bindings(node) for node in source.tree.body):
        return None
    return "".join(lines)  # `import a.b` and `import a.c` both bind a


def import_lines(source: Source, names: Iterable[str]) -> str | None:
    """Return lines that bind some names as a module binds them; None where one is no import."""
    lines = [import_line(source, name) for name in names]
    if None in lines:
        return None
    return "".join(dict.fromkeys(line for line in lines if line))


def add_import(source: Source, text: str) -> Edit:
    """Return the edit that adds lines below the imports of a module."""
    body = source.tree.body
    imports = top_imports(source)
    if imports:
        return source.after(imports[-1], text)
    docstrings = [node for node in body[:1] if is_docstring(node)]
    if docstrings:
        return source.after(docstrings[0], text)
    return Edit(0, 0, f"{text}\n\n")


def without_alias(source: Source, node: ImportNode, alias: ast.alias, text: str = "") -> Edit:
    """Return the edit that takes one name out of an import statement and adds lines for it."""
    rest = [one for one in node.names if one is not alias]
    kept = import_text(node, rest) if rest else ""
    return source.replace_lines(node, node, kept + text)


def _other_bindings(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds without importing them."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ImportNode):
        return set()
    return {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
