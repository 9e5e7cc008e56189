"""The functions of a project: what they return, and which of them a call calls."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from pedl2det.analysis.bindings import Path
from pedl2det.analysis.flow.classes import Classes
from pedl2det.analysis.flow.signatures import is_classmethod, is_named, is_static
from pedl2det.analysis.flow.values import Call, Callable, Function, Origin
from pedl2det.analysis.modules import Modules

#: Decorators that do not change what a function returns.
_KEEPING = ("abstractmethod", "cache", "classmethod", "lru_cache", "staticmethod")
#: How many calls deep the function of a call is looked for.
_DEEPEST = 30


class Functions(Classes, ABC):
    """The functions of one project.

    Args:
        modules: its files.
    """

    def __init__(self, modules: Modules) -> None:
        super().__init__(modules)
        self._called: dict[ast.Call, list[Callable]] = {}
        self._calling: set[ast.Call] = set()

    @abstractmethod
    def origins(self, node: ast.AST, path: Path = ()) -> list[Origin]:
        """Every place where the value of an expression, or a member of it, may come from."""

    def returned(self, function: ast.AST) -> list[ast.expr]:
        """The expressions that a function returns."""
        if isinstance(function, ast.Lambda):
            return [function.body]
        own = self._own_nodes(function, ast.Return)
        return [one.value for one in own if isinstance(one, ast.Return) and one.value is not None]

    def returns_plainly(self, function: Callable) -> bool:
        """Whether a call of a function gives what its ``return`` statements say."""
        is_constructor = getattr(function, "name", "") == "__init__"
        is_generator = any(self._own_nodes(function, ast.Yield, ast.YieldFrom))
        has_result = self._has_only(function, _KEEPING)
        return has_result and not is_constructor and not is_generator

    def is_wrapped(self, function: Function) -> bool:
        """Whether a decorator may call a function with arguments of its own choice."""
        return not self._has_only(function, ("abstractmethod", "override", "overrides"))

    def _has_only(self, function: ast.AST, names: Sequence[str]) -> bool:
        """Whether all decorators have one of some names."""
        return all(is_named(one, names) for one in getattr(function, "decorator_list", ()))

    def _own_nodes(self, function: ast.AST, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """The nodes of some kinds in a function, without those of functions and classes in it."""
        names = self.modules.home(function).names
        for one in names.below(function):
            if isinstance(one, kinds) and names.definition_around(one) is function:
                yield one

    def called(self, call: ast.Call) -> list[Callable]:
        """The functions of the project that a call may call; empty if any may be another."""
        if call in self._called:
            return self._called[call]
        if call in self._calling or len(self._calling) > _DEEPEST:
            return []  # it depends on itself
        self._calling.add(call)
        found: list[Callable] = []
        for origin in self.origins(call.func):
            functions = self._functions_of(call, origin)
            if not functions:
                found = []
                break
            found += functions
        self._calling.remove(call)
        self._called[call] = found
        return found

    def _functions_of(self, call: ast.Call, origin: Origin) -> list[Callable]:
        """The functions that a call calls if what it calls comes from an origin."""
        match origin:
            case Origin(path=path) if path:
                return []
            case Origin(node=ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() as function):
                return [function]
            case Origin(node=ast.ClassDef() as owner):
                constructor = self.method(owner, "__init__")
                return [constructor] if constructor is not None else []
            case Origin(node=ast.Attribute() as attribute) if attribute is call.func:
                return [*self._methods_of(attribute)]
        return []

    def _methods_of(self, node: ast.Attribute) -> list[Function]:
        """The methods that ``self.x``, ``super().x`` or ``Class().x`` may mean."""
        owner = self.class_of_self(node)
        if owner is not None:
            return self.overrides(owner, node.attr)
        if isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "super":
            around = self.modules.home(node).names.class_around(node)
            return self.inherited(around, node.attr) if around is not None else []
        methods = [self._method_of(origin, node.attr) for origin in self.origins(node.value)]
        known = [one for one in methods if one is not None]
        return known if len(known) == len(methods) else []

    def _method_of(self, origin: Origin, name: str) -> Function | None:
        """The method of an instance that is made by calling its class."""
        if origin.path or not isinstance(origin.node, ast.Call):
            return None
        classes = [one.node for one in self.origins(origin.node.func) if not one.path]
        if len(classes) != 1 or not isinstance(classes[0], ast.ClassDef):
            return None
        return self.method(classes[0], name)

    def call_of(self, node: ast.Call, function: Callable) -> Call:
        """A call, and whether it fills the first parameter of a function with an object."""
        owner = self.modules.home(function).names.parents.get(function)
        if not isinstance(owner, ast.ClassDef) or is_static(function):
            return Call(node, bound=False)
        is_constructor = getattr(function, "name", "") == "__init__"
        if not isinstance(node.func, ast.Attribute):
            return Call(node, bound=is_constructor)
        # Class.method(self, ...) hands the object on itself.
        target = self.modules.meaning(node.func.value)
        of_class = target is not None and isinstance(self.modules.definition(target), ast.ClassDef)
        makes_object = is_constructor and node.func.attr != "__init__"
        return Call(node, bound=not of_class or is_classmethod(function) or makes_object)
