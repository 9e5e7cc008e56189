"""The classes of a project: bases, methods and attributes, and who reads a name."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import overload

from pedl2det.analysis.bindings import Binding
from pedl2det.analysis.flow.values import Function, Place, first_parameter, is_static
from pedl2det.analysis.modules import Modules


class Classes:
    """The classes of one project, and who reads the names of its modules and classes.

    Args:
        modules: its files.
    """

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    # Names.

    def bindings(self, name: ast.Name) -> list[Binding]:
        """The bindings that a name may hold where it is read."""
        return self.modules.home(name).names.bindings(name)

    @overload
    def reads_of(self, target: ast.arg) -> list[ast.Name]: ...

    @overload
    def reads_of(self, target: ast.AST) -> list[ast.Name] | list[ast.expr]: ...

    def reads_of(self, target: ast.AST) -> list[ast.Name] | list[ast.expr]:
        """Where what a target or a parameter was given may be read by name, in all files."""
        source = self.modules.home(target)
        found = source.names.reads_of(target)
        if isinstance(target, ast.Name) and source.names.binder(target) is source.tree:
            elsewhere = self._reads_of_dotted(f"{self.modules.name_of(source)}.{target.id}")
            return [*found, *(one for one in elsewhere if self.modules.home(one) is not source)]
        return found

    def _reads_of_dotted(self, dotted: str) -> list[ast.expr]:
        """Where a name of a module or a class is read by its dotted name."""
        return self._reads_by_meaning.get(dotted, [])

    @cached_property
    def _reads_by_meaning(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = defaultdict(list)
        for source in self.modules:
            for node in source.names.of(ast.Name, ast.Attribute):
                meaning = self.modules.meaning(node)
                if meaning is not None and isinstance(node.ctx, ast.Load):
                    found[meaning].append(node)
        return found

    # Classes.

    def bases(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and the classes of the project that it derives from, itself first."""
        found = [node]
        for one in found:
            meanings = [self.modules.meaning(base) for base in one.bases]
            bases = [self.modules.definition(dotted) for dotted in meanings if dotted is not None]
            found += [
                base for base in bases if isinstance(base, ast.ClassDef) and base not in found
            ]
        return found

    def family(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class, what it derives from, what derives from it, and mixins beside it."""
        return self._families.get(node, [node])

    @cached_property
    def _families(self) -> dict[ast.ClassDef, list[ast.ClassDef]]:
        """Each class with every class that may share an instance with it."""
        found: dict[ast.ClassDef, list[ast.ClassDef]] = defaultdict(list)
        for node in self.modules.of(ast.ClassDef):
            line = self.bases(node)
            for one in line:
                found[one] += [other for other in line if other not in found[one]]
        return found

    # Methods.

    def own_method(self, node: ast.ClassDef, name: str) -> Function | None:
        """The method that a class itself defines, also as ``name = other``."""
        for binding in reversed(self.modules.home(node).names.bound(node, name)):
            if isinstance(binding.node, Function):
                return binding.node
            if isinstance(binding.value, ast.Name) and binding.value.id != name:
                return self.own_method(node, binding.value.id)
        return None

    def method(self, node: ast.ClassDef, name: str) -> Function | None:
        """The method that an instance of a class has, as far as the project defines it."""
        return next(iter(self._own_methods(self.bases(node), name)), None)

    def overrides(self, node: ast.ClassDef, name: str) -> list[Function]:
        """The methods that ``self.name`` may mean in a method of a class."""
        return self._own_methods(self.family(node), name)

    def inherited(self, owner: ast.ClassDef, name: str) -> list[Function]:
        """The methods that ``super().name`` may mean in a class.

        In a mixin it may be the method of a class that the mixin does not derive from.
        """
        bases = self.bases(owner)
        beside = [
            one for one in self.family(owner) if one not in bases and owner not in self.bases(one)
        ]
        own = self._own_methods(bases[1:], name)[:1]
        return [*own, *(one for one in self._own_methods(beside, name) if one not in own)]

    def _own_methods(self, classes: Iterable[ast.ClassDef], name: str) -> list[Function]:
        found = (self.own_method(one, name) for one in classes)
        return [one for one in found if one is not None]

    # Attributes.

    def class_of_self(self, node: ast.AST) -> ast.ClassDef | None:
        """The class in whose method ``self.x`` stands."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        names = self.modules.home(node).names
        binder = names.binder(node.value)
        if not isinstance(binder, Function) or is_static(binder):
            return None
        owner = names.parents.get(binder)
        is_self = first_parameter(binder) == node.value.id
        return owner if isinstance(owner, ast.ClassDef) and is_self else None

    def attribute_values(self, node: ast.Attribute) -> list[Place]:
        """What ``self.x`` is set to anywhere in the family of its class; else nothing."""
        owner = self.class_of_self(node)
        bindings: list[Binding | None] = []
        for one in self.family(owner) if owner is not None else ():
            bindings += self.modules.home(one).names.bound(one, node.attr)
        for target in self._of_self(owner, node.attr, ast.Store):
            bindings.append(self.modules.home(target).names.binding_of(target))
        known = [one for one in bindings if one and one.value and not one.augmented]
        if len(known) < len(bindings):
            return []
        return [(one.value, one.path) for one in known if one.value is not None]

    def attribute_reads(self, target: ast.Attribute) -> list[ast.Attribute]:
        """Where ``self.x`` is read in the family of its class."""
        return [*self._of_self(self.class_of_self(target), target.attr, ast.Load)]

    def member_reads(self, target: ast.Name) -> list[ast.expr]:
        """Where an attribute of a class is read through its instances or the class."""
        source = self.modules.home(target)
        owner = source.names.scope_around(target)
        if not isinstance(owner, ast.ClassDef):
            return []
        dotted = f"{self.modules.name_of(source)}.{owner.name}.{target.id}"
        return [*self._of_self(owner, target.id, ast.Load), *self._reads_of_dotted(dotted)]

    def _of_self(
        self, owner: ast.ClassDef | None, name: str, context: type[ast.expr_context]
    ) -> Iterator[ast.Attribute]:
        """Where the family of a class reads or sets ``self.name``."""
        for one in self.family(owner) if owner is not None else ():
            for node in self.modules.home(one).names.below(one):
                if (
                    isinstance(node, ast.Attribute)
                    and node.attr == name
                    and isinstance(node.ctx, context)
                    and self.class_of_self(node) is not None
                ):
                    yield node
