"""Who uses what in one trial's directory: functions, classes and constants of its modules."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass

from pedl2det.facts.scopes import FUNCTIONS
from pedl2det.facts.source import Source

Definition = ast.FunctionDef | ast.ClassDef | ast.Assign


@dataclass(frozen=True)
class Use:
    """One place where something that a module defines is read.

    Attributes:
        source: the file.
        node: the name or attribute.
    """

    source: Source
    node: ast.Name | ast.Attribute

    @property
    def call(self) -> ast.Call | None:
        """The call of which this is the function, if it is called."""
        parent = self.source.names.parents.get(self.node)
        return parent if isinstance(parent, ast.Call) and parent.func is self.node else None

    @property
    def is_annotation(self) -> bool:
        """Whether it stands where only readers and type checkers look."""
        return is_annotation(self.source, self.node)


class Calls:
    """The uses of everything that the modules of a directory define.

    Args:
        sources: the files by module name.
    """

    def __init__(self, sources: dict[str, Source]) -> None:
        self._sources = sources
        self._modules = {id(source): module for module, source in sources.items()}
        self._defined = {module: _definitions(source) for module, source in sources.items()}
        self.home: dict[ast.AST, Source] = {
            node: sources[module]
            for module, defined in self._defined.items()
            for node in defined.values()
        }
        self._uses: dict[ast.AST, list[Use]] = defaultdict(list)
        for source in sources.values():
            for node in source.names.of(ast.Name, ast.Attribute):
                if isinstance(node.ctx, ast.Load):
                    meant = self.meaning(source, node)
                    if meant is not None:
                        self._uses[meant].append(Use(source, node))

    def uses(self, definition: Definition) -> list[Use]:
        """Every place where a definition is read, in whatever file."""
        return self._uses.get(definition, [])

    def resolve(self, module: str, name: str) -> Definition | None:
        """What a name of a module means, through the imports of the directory."""
        seen: set[tuple[str, str]] = set()
        while (module, name) not in seen and module in self._sources:
            seen.add((module, name))
            bindings = self._sources[module].names.module_bindings(name)
            if len(bindings) != 1:
                return None
            if bindings[0] is None:
                return self._defined[module].get(name)
            dotted = self._sources[module].names.follow(bindings[0])
            module, _, name = dotted.rpartition(".")
        return None

    def meaning(self, source: Source, node: ast.AST) -> Definition | None:
        """What an expression means, if it is the name of something that a module defines."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        module = self._modules[id(source)]
        if isinstance(node, ast.Name) and source.names.binder(node) is source.tree:
            return self.resolve(module, node.id)
        dotted = source.names.qualified(node)
        if dotted is None:
            return None
        other, _, name = dotted.rpartition(".")
        return self.resolve(other, name) if other in self._sources else None


def _definitions(source: Source) -> dict[str, Definition]:
    """What a module defines in its own scope, under names that nothing else binds."""
    found: dict[str, Definition] = {}
    for node in source.tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] = node
            case ast.Assign(targets=[ast.Name(id=name)]):
                found[name] = node
    return {
        name: node for name, node in found.items() if source.names.module_bindings(name) == [None]
    }


def enclosing(source: Source, node: ast.AST) -> ast.FunctionDef | None:
    """The function of a module, or method of a class of a module, around a node."""
    found = source.names.function_of(node)
    parent = source.names.parents.get(found) if found else None
    is_outer = isinstance(parent, ast.Module) or (
        isinstance(parent, ast.ClassDef)
        and isinstance(source.names.parents.get(parent), ast.Module)
    )
    return found if isinstance(found, FUNCTIONS[0]) and is_outer else None


def is_annotation(source: Source, node: ast.AST) -> bool:
    """Whether an expression is a part of an annotation."""
    while (parent := source.names.parents.get(node)) is not None:
        match parent:
            case ast.arg(annotation=part) | ast.AnnAssign(annotation=part) if part is node:
                return True
            case ast.FunctionDef(returns=part) if part is node:
                return True
            case ast.stmt():
                return False
        node = parent
    return False
