"""The modules of one project, and what their names mean across files."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from functools import cached_property

from pedl2det.analysis.links import link
from pedl2det.analysis.names import Node
from pedl2det.analysis.scopes import imported_as
from pedl2det.analysis.source import Source

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Modules:
    """The Python files of one project by module name; siblings import each other by it.

    Args:
        sources: the files by dotted name (``data``, ``nets.cnn``, ``__init__``).
    """

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self.by_name = dict(sources)
        link(self.by_name)

    def __iter__(self) -> Iterator[Source]:
        return iter(self.by_name.values())

    def of(self, kind: type[Node]) -> Iterator[Node]:
        """The nodes of a kind in all files."""
        for source in self:
            yield from source.names.of(kind)

    @cached_property
    def _names(self) -> dict[int, str]:
        return {id(source): name for name, source in self.by_name.items()}

    def name_of(self, source: Source) -> str:
        """The dotted name by which siblings import a file."""
        return self._names[id(source)]

    @cached_property
    def _homes(self) -> dict[ast.AST, Source]:
        return {node: source for source in self for node in source.names.nodes}

    def home(self, node: ast.AST) -> Source:
        """The file that a node stands in."""
        return self._homes[node]

    def definition(self, dotted: str) -> Definition | None:
        """The function or class of the project that a dotted name means, methods included."""
        module, rest = self.split(dotted)
        if module is None or not rest:
            return None
        body: list[ast.stmt] = module.tree.body
        found: Definition | None = None
        for part in rest.split("."):
            found = _defined(body, part)
            if found is None:
                return None
            body = found.body
        return found

    def split(self, dotted: str) -> tuple[Source | None, str]:
        """The module of the project in which a dotted name is defined, and the rest of it."""
        parts = dotted.split(".")
        for end in range(len(parts), 0, -1):
            source = self.by_name.get(".".join(parts[:end]))
            if source is not None:
                return source, ".".join(parts[end:])
        return None, dotted

    def bound(self, dotted: str) -> str | None:
        """The place of the project where a dotted name is bound, through imports and aliases.

        It may be a method, after ``name = Class.method``.
        """
        alias = None
        for _ in range(20):
            source, rest = self.split(dotted)
            if source is None or not rest:
                return None
            if "." in rest:
                return dotted if self.definition(dotted) is not None else alias
            bindings = source.names.module_bindings(rest)
            if not bindings:
                return None
            meaning = bindings[-1] or self._alias(source, rest)
            if meaning is None:
                return dotted
            followed = source.names.follow(meaning)
            if followed == dotted:
                return dotted
            alias, dotted = dotted, followed
        return None

    def _alias(self, source: Source, name: str) -> str | None:
        """What ``name = other`` at the top of a file makes a name mean."""
        found = None
        for node in source.tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=target)], value=ast.Name(id=other)):
                    found = f"{self.name_of(source)}.{other}" if target == name else found
        return found

    def imports(self, one: Source, other: Source) -> bool:
        """Whether importing one file imports another, maybe through others."""
        found, waiting = set(), [one]
        while waiting:
            here = waiting.pop()
            for node in here.names.of(ast.Import, ast.ImportFrom):
                for module in self.imported(here, node):
                    if module is other:
                        return True
                    if id(module) not in found:
                        found.add(id(module))
                        waiting.append(module)
        return False

    def imported(self, source: Source, node: ast.AST) -> Iterator[Source]:
        """The other files of the project that an import at the top of a file runs."""
        if source.names.definition_around(node) is not None:
            return
        dotted: list[str] = []
        if isinstance(node, ast.Import):
            dotted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            home = "." * node.level + (node.module or "")
            dotted = [
                source.names.follow(home),
                *(source.names.follow(imported_as(node, alias)) for alias in node.names),
            ]
        for name in dotted:
            found, _ = self.split(name)
            if found is not None and found is not source:
                yield found

    def meaning(self, node: ast.AST) -> str | None:
        """The dotted name that an expression means: of the project or of a library.

        A name that its own module defines is given with that module's name.
        """
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        source = self.home(node)
        dotted = source.names.qualified(node)
        if dotted is not None:
            return dotted
        attributes: list[str] = []
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            attributes.insert(0, root.attr)
            root = root.value
        if not isinstance(root, ast.Name) or source.names.binder(root) is not source.tree:
            return None
        return ".".join([self.name_of(source), root.id, *attributes])

    def is_of_library(self, node: ast.expr) -> bool:
        """Whether an expression means something of a library or a builtin."""
        meaning = self.meaning(node)
        if meaning is not None:
            return self.split(meaning)[0] is None
        names = self.home(node).names
        return (
            isinstance(node, ast.Name) and names.binder(node) is None and hasattr(builtins, node.id)
        )


def _defined(body: list[ast.stmt], name: str) -> Definition | None:
    """What a body defines under a name; the last definition counts."""
    found = None
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found = node if node.name == name else found
            case ast.If(body=inner, orelse=other) | ast.Try(body=inner, orelse=other):
                found = _defined([*inner, *other], name) or found
    return found
