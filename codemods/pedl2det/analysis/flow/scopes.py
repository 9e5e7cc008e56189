"""Names across the scopes and files of a project: what binds them, and who reads a binding."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import overload

from pedl2det.analysis.bindings import Binding, Reaching
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.scopes import COMPREHENSIONS, FUNCTIONS, is_inside
from pedl2det.analysis.source import Source


class Scopes:
    """The names of one project.

    Args:
        modules: its files.
    """

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def scope(self, node: ast.AST) -> Reaching:
        """The reaching definitions of a module, function, lambda or class body."""
        return self.modules.home(node).reaching(node)

    def bindings(self, name: ast.Name) -> list[Binding]:
        """The bindings that a name may hold where it is read."""
        source = self.modules.home(name)
        binder = source.names.binder(name)
        if binder is None:
            return []
        own = scope_around(source, name)
        if own is binder or _is_comprehension_of(source, binder, own):
            found = self.scope(own).reads.get(name)
            if found:
                return [*found, *self._declared(source, binder, name.id)]
        if isinstance(binder, COMPREHENSIONS):
            return self.scope(own).bindings.get(name.id, [])
        return self.bindings_in(source, binder, name.id)

    def bindings_in(self, source: Source, binder: ast.AST, name: str) -> list[Binding]:
        """Every binding of a name of a scope, also by functions that declare it theirs."""
        own = self.scope(binder).bindings.get(name, [])
        return [*own, *self._declared(source, binder, name)]

    def _declared(self, source: Source, binder: ast.AST, name: str) -> Iterator[Binding]:
        """Bindings of a scope's name in functions that say ``global`` or ``nonlocal``."""
        for node in source.names.of(ast.Global, ast.Nonlocal):
            if name in node.names and source.names.binder_at(node, name) is binder:
                function = source.names.definition_around(node)
                if function is not None and function is not binder:
                    yield from self.scope(function).bindings.get(name, [])

    @overload
    def reads_of(self, target: ast.arg) -> list[ast.Name]: ...

    @overload
    def reads_of(self, target: ast.AST) -> list[ast.Name] | list[ast.expr]: ...

    def reads_of(self, target: ast.AST) -> list[ast.Name] | list[ast.expr]:
        """The names that may read what a target or a parameter was given."""
        source = self.modules.home(target)
        if isinstance(target, ast.Name):
            name, own = target.id, scope_around(source, target)
            binder: ast.AST | None = source.names.binder(target)
        else:
            name = getattr(target, "arg", "")
            binder = own = source.names.definition_around(target) or source.tree
        facts = self.scope(own)
        mine = [one for one in facts.bindings.get(name, []) if one.node is target]
        found: list[ast.Name] = [read for one in mine for read in facts.used_at(one)]
        is_declared = binder is not own and isinstance(binder, (ast.Module, *FUNCTIONS))
        for read in self._reads_by_name[name]:
            if self.modules.home(read) is source and source.names.binder(read) is binder:
                is_followed = read in facts.reads and not is_declared
                if not is_followed and read not in found:  # in an inner function
                    found.append(read)
        if isinstance(binder, ast.Module) and isinstance(target, ast.Name):
            elsewhere = self.reads_of_dotted(f"{self.modules.name_of(source)}.{name}")
            return [*found, *(one for one in elsewhere if self.modules.home(one) is not source)]
        return found

    def reads_of_dotted(self, dotted: str) -> list[ast.expr]:
        """Where a name of a module or a class is read by its dotted name."""
        return self._reads_by_meaning.get(dotted, [])

    @cached_property
    def _reads_by_name(self) -> dict[str, list[ast.Name]]:
        found: dict[str, list[ast.Name]] = defaultdict(list)
        for source in self.modules:
            for node in source.names.of(ast.Name):
                if isinstance(node.ctx, ast.Load):
                    found[node.id].append(node)
        return found

    @cached_property
    def _reads_by_meaning(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = defaultdict(list)
        for source in self.modules:
            for node in source.names.of(ast.Name, ast.Attribute):
                meaning = self.modules.meaning(node)
                if meaning is not None and isinstance(node.ctx, ast.Load):
                    found[meaning].append(node)
        return found


def scope_around(source: Source, node: ast.AST) -> ast.AST:
    """The function, lambda, class or module whose statements a node belongs to."""
    child = node
    for parent in source.names.around(node):
        match parent:
            case ast.Module():
                return parent
            case ast.ClassDef(body=body) if child in body:
                return parent
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                is_signature = child is node and isinstance(child, ast.arguments)
                if is_signature or is_inside(child, parent):
                    return parent
        child = parent
    return source.tree


def _is_comprehension_of(source: Source, binder: ast.AST, own: ast.AST) -> bool:
    """Whether a comprehension stands in a scope's own statements."""
    return isinstance(binder, COMPREHENSIONS) and own in source.names.around(binder)
