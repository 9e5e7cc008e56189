"""Where the modules of a project use a function or class of one of them."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from variants.project import Project, config_path, module_name
from variants.scopes import global_occurrences
from variants.source import Edit, FunctionNode, Source
from variants.trial import sources


@dataclass(frozen=True)
class Use:
    """One place that uses it.

    Attributes:
        path: the file.
        node: the name there, or the attribute of the module.
        is_called: whether it is called and nothing else.
    """

    path: str
    node: ast.expr
    is_called: bool


@dataclass(frozen=True)
class References:
    """All places that use a function or class.

    Attributes:
        uses: where its value is used.
        imports: the names in import statements, with their file.
    """

    uses: tuple[Use, ...]
    imports: tuple[tuple[str, ast.alias], ...]


def references(project: Project, path: str, name: str) -> References | None:
    """Find what uses a name that a module binds once; None where a use cannot be renamed."""
    uses: list[Use] = []
    imports: list[tuple[str, ast.alias]] = []
    module = module_name(path)
    for other, source in sources(project).items():
        local = name if other == path else None
        for node in source.walk(ast.ImportFrom):
            for alias in node.names:
                if node.module == module and alias.name == "*":
                    local = name  # it can only be used under its own name
                if node.module == module and alias.name == name:
                    if source.function_of(node) is not None:
                        return None
                    imports.append((other, alias))
                    local = name if alias.asname is None else local
        if local:
            for one in global_occurrences(source, local):
                if source.in_f_string(one) or isinstance(one.ctx, ast.Store):
                    return None
                uses.append(Use(other, one, _is_called(source, one)))
        uses += [
            Use(other, one, _is_called(source, one)) for one in _attributes(source, module, name)
        ]
    if any(_is_exported(project, other, name) for other, _ in imports):
        return None
    return References(tuple(uses), tuple(imports))


def _is_exported(project: Project, path: str, name: str) -> bool:
    """Return whether others take a name from a module that has imported it."""
    taken = taken_from(project, path)
    return taken is None or name in taken or is_referenced_as_text(project, path, name)


def is_referenced_as_text(project: Project, path: str, name: str) -> bool:
    """Return whether the config names it."""
    return re.search(rf"\b{module_name(path)}:{name}\b", project[config_path(project)]) is not None


def with_renamed(
    project: Project,
    path: str,
    node: ast.ClassDef | FunctionNode,
    name: str,
    found: References,
) -> Project:
    """Return the project with another name for a function or class of a module.

    An `__init__.py` goes on to export a function under its old name, which the runtime looks for.
    """
    old = node.name
    edits: dict[str, list[Edit]] = {}
    parsed = sources(project)
    definition = _name_span(parsed[path], node)
    edits.setdefault(path, []).append(definition._replace(text=name))
    for use in found.uses:
        source = parsed[use.path]
        text = source.segment(use.node)
        edits.setdefault(use.path, []).append(
            source.replace(use.node, text.removesuffix(old) + name)
        )
    for other, alias in found.imports:
        keeps = other.endswith("__init__.py") and isinstance(node, ast.FunctionDef)
        asname = alias.asname or (old if keeps else None)
        text = f"{name} as {asname}" if asname else name
        edits.setdefault(other, []).append(parsed[other].replace(alias, text))
    changed = dict(project)
    for other, some in edits.items():
        changed[other] = parsed[other].edited(some)
    config = config_path(project)
    pattern = rf"\b({module_name(path)}:){old}\b"
    changed[config] = re.sub(pattern, rf"\g<1>{name}", changed[config])
    return changed


def _name_span(source: Source, node: ast.ClassDef | FunctionNode) -> Edit:
    start, _ = source.span(node)
    keyword = "class " if isinstance(node, ast.ClassDef) else "def "
    offset = start + len(keyword)
    return Edit(offset, offset + len(node.name.encode()), "")


def _is_called(source: Source, node: ast.expr) -> bool:
    parent = source.parents[node]
    return isinstance(parent, ast.Call) and parent.func is node


def _attributes(source: Source, module: str, name: str) -> list[ast.Attribute]:
    names = {
        alias.asname or alias.name
        for node in source.walk(ast.Import)
        for alias in node.names
        if alias.name == module
    }
    return [
        node
        for node in source.walk(ast.Attribute)
        if node.attr == name and isinstance(node.value, ast.Name) and node.value.id in names
    ]


def taken_from(project: Project, path: str) -> set[str] | None:
    """Return the names that other modules take from a module; None where it may be any."""
    names: set[str] = set()
    module = module_name(path)
    for other, source in sources(project).items():
        if other == path:
            continue
        for node in source.walk(ast.ImportFrom):
            if node.module == module:
                names |= {alias.name for alias in node.names}
        for node in source.walk(ast.Import):
            names |= {"*" for alias in node.names if alias.name == module}
    return None if "*" in names else names
