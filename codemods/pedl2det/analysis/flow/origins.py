"""Follow values backward: classes, where a value comes from, and what a call calls."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from pedl2det.analysis.bindings import FUNCTIONS, Binding, Path
from pedl2det.analysis.flow.values import (
    Call,
    Callable,
    Function,
    Origin,
    Place,
    argument_for,
    defaults_of,
    first_parameter,
    has_decorator,
    has_hidden_arguments,
    has_only_decorators,
    of_dict,
    of_elements,
    step_of,
)
from pedl2det.analysis.modules import Modules

#: How many members deep a value is followed, how many steps far, and through how many calls.
_LONGEST, _FARTHEST, DEEPEST = 5, 2_000, 30
#: Decorators that do not change what a function returns.
_KEEPING = ("abstractmethod", "cache", "classmethod", "lru_cache", "staticmethod")


class Classes:
    """The classes of one project, and where the names of its modules and classes are read."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules

    def bindings(self, name: ast.Name) -> list[Binding]:
        """The bindings that a name may hold where it is read."""
        return self.modules.home(name).names.bindings(name)

    def reads_of(self, target: ast.AST) -> list[Any]:
        """Where the value of a target or a parameter may be read by name, in all files."""
        source = self.modules.home(target)
        reads = source.names.reads_of(target)
        if isinstance(target, ast.Name) and source.names.binder(target) is source.tree:
            dotted = f"{self.modules.name_of(source)}.{target.id}"
            elsewhere = self._reads_by_meaning.get(dotted, [])
            return [*reads, *(read for read in elsewhere if self.modules.home(read) is not source)]
        return reads

    @cached_property
    def _reads_by_meaning(self) -> dict[str, list[ast.expr]]:
        """Where each name of a module or a class is read, by its dotted name."""
        reads: dict[str, list[ast.expr]] = defaultdict(list)
        for node in self.modules.reads:
            meaning = self.modules.meaning(node)
            if meaning is not None:
                reads[meaning].append(node)
        return reads

    def bases(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and the classes of the project that it derives from, itself first."""
        classes = [node]
        for owner in classes:
            meanings = [self.modules.meaning(base) for base in owner.bases]
            bases = [self.modules.definition(dotted) for dotted in meanings if dotted is not None]
            classes += [
                base for base in bases if isinstance(base, ast.ClassDef) and base not in classes
            ]
        return classes

    def family(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class, what it derives from, what derives from it, and mixins beside it."""
        return self._families.get(node, [node])

    @cached_property
    def _families(self) -> dict[ast.ClassDef, list[ast.ClassDef]]:
        """Each class with every class that may share an instance with it."""
        families: dict[ast.ClassDef, list[ast.ClassDef]] = defaultdict(list)
        for node in self.modules.of(ast.ClassDef):
            line = self.bases(node)
            for owner in line:
                families[owner] += [other for other in line if other not in families[owner]]
        return families

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
        """The methods that ``super().name`` may mean in a class."""
        bases = self.bases(owner)  # a mixin may precede classes that it does not derive from
        others = [other for other in self.family(owner) if other not in bases]
        beside = [other for other in others if owner not in self.bases(other)]
        from_bases = self._own_methods(bases[1:], name)[:1]
        return [*dict.fromkeys([*from_bases, *self._own_methods(beside, name)])]

    def _own_methods(self, classes: Iterable[ast.ClassDef], name: str) -> list[Function]:
        methods = (self.own_method(node, name) for node in classes)
        return [method for method in methods if method is not None]

    def class_of_self(self, node: ast.AST) -> ast.ClassDef | None:
        """The class in whose method ``self.x`` stands."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        names = self.modules.home(node).names
        binder = names.binder(node.value)
        if not isinstance(binder, Function) or has_decorator(binder, "staticmethod"):
            return None
        owner = names.parents.get(binder)
        is_self = first_parameter(binder) == node.value.id
        return owner if isinstance(owner, ast.ClassDef) and is_self else None

    def attribute_values(self, node: ast.Attribute) -> list[Place]:
        """What ``self.x`` is set to anywhere in the family of its class; else nothing."""
        owner = self.class_of_self(node)
        bindings: list[Binding | None] = []
        for relative in self.family(owner) if owner is not None else ():
            bindings += self.modules.home(relative).names.bound(relative, node.attr)
        for target in self._of_self(owner, node.attr, ast.Store):
            bindings.append(self.modules.home(target).names.binding_of(target))
        known = [
            binding for binding in bindings if binding and binding.value and not binding.augmented
        ]
        if len(known) < len(bindings):
            return []
        return [(binding.value, binding.path) for binding in known if binding.value is not None]

    def member_reads(self, target: ast.Name) -> list[ast.expr]:
        """Where an attribute of a class is read through its instances or the class."""
        source = self.modules.home(target)
        owner = source.names.scope_around(target)
        if not isinstance(owner, ast.ClassDef):
            return []
        dotted = f"{self.modules.name_of(source)}.{owner.name}.{target.id}"
        return [*self._of_self(owner, target.id, ast.Load), *self._reads_by_meaning.get(dotted, ())]

    def _of_self(
        self, owner: ast.ClassDef | None, name: str, context: type[ast.expr_context]
    ) -> Iterator[ast.Attribute]:
        """Where the family of a class reads or sets ``self.name``."""
        for relative in self.family(owner) if owner is not None else ():
            for node in self.modules.home(relative).names.below(relative):
                if (
                    isinstance(node, ast.Attribute)
                    and node.attr == name
                    and isinstance(node.ctx, context)
                    and self.class_of_self(node) is not None
                ):
                    yield node


def each_once(waiting: list[Any]) -> Iterator[tuple[Any, bool]]:
    """Take each of the places, to which more may be added, and whether it is still near."""
    seen: set[Place] = set()
    while waiting:
        if (place := waiting.pop()) not in seen:
            seen.add(place)
            yield place, len(place[1]) <= _LONGEST and len(seen) <= _FARTHEST


class Origins(Classes):
    """Where the values of one project come from.

    A first pass that does not look through parameters: to look through one, the calls of its
    function must be known.
    """

    def __init__(self, modules: Modules) -> None:
        super().__init__(modules)
        self._called: dict[ast.Call, list[Callable]] = {}
        self._calling: set[ast.Call] = set()

    def calls(self, function: ast.AST) -> list[Call]:
        """The calls of a function in the project."""
        return self._calls.get(function, [])

    @cached_property
    def _calls(self) -> dict[ast.AST, list[Call]]:
        calls: dict[ast.AST, list[Call]] = defaultdict(list)
        for node in self.modules.of(ast.Call):
            for function in self.called(node):
                calls[function].append(self.call_of(node, function))
        return calls

    def _sees_calls(self, function: ast.AST) -> bool:  # noqa: ARG002
        """Whether every call of a function is known: not before all calls are."""
        return False

    def _is_changed(self, node: ast.expr) -> bool:  # noqa: ARG002
        """Whether a list or dict may be changed after it was made."""
        return False  # so that no call of a function in a list is missed

    def origins(self, node: ast.AST, path: Path = ()) -> list[Origin]:
        """Every place where the value of an expression, or a member of it, may come from."""
        origins: dict[Origin, None] = {}
        for place, is_near in each_once(waiting := [(node, path)]):
            steps = self._back(*place) if is_near else []
            waiting += reversed(steps)
            if not steps:
                origins[Origin(*place)] = None
        return list(origins) or [Origin(node, path)]  # it comes from itself alone

    def members(self, node: ast.AST) -> Iterator[ast.AST]:
        """The origins of a value and of all members of its lists, tuples and dicts."""
        waiting: list[ast.AST] = [node]
        seen: set[ast.AST] = set()
        while waiting:
            for origin in self.origins(waiting.pop()):
                if origin.node in seen:
                    continue
                seen.add(origin.node)
                yield origin.node
                match origin.node:
                    case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
                        waiting += parts
                    case ast.BinOp(left=left, right=right):  # a list and more of it
                        waiting += [left, right]

    def _back(self, node: ast.AST, path: Path) -> list[Place]:
        """One step towards the origins; empty where the value starts."""
        match node:
            case ast.Name():
                return self._back_from_name(node, path)
            case ast.Attribute():
                dotted = self.modules.meaning(node)
                values = self._of_dotted(dotted) if dotted else self.attribute_values(node)
                return _within(values, path)
            case ast.Call(args=[_, value]) if self.modules.meaning(node.func) == "typing.cast":
                return [(value, path)]
            case ast.Call():
                return self._back_from_call(node, path)
            case ast.arg():
                return self._back_from_parameter(node, path)
            case ast.NamedExpr(value=value) | ast.Starred(value=value) | ast.Await(value=value):
                return [(value, path)]
            case ast.IfExp(body=body, orelse=orelse):
                return [(body, path), (orelse, path)]
            case ast.BoolOp(values=values):
                return [(value, path) for value in values]
            case ast.Subscript(value=value, slice=ast.Slice()):
                return [(value, (None, *path[1:]))] if path else []
            case ast.Subscript(value=value, slice=key):
                return [(value, (step_of(key), *path))]
        return self._back_from_display(node, path) if path else []

    def _back_from_display(self, node: ast.AST, path: Path) -> list[Place]:
        """The members of a tuple, list or dict that is written out."""
        changeable = ast.List | ast.Dict | ast.ListComp | ast.DictComp
        if isinstance(node, changeable) and self._is_changed(node):
            return []
        match node:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return of_elements(elements, path)
            case ast.Dict(keys=keys, values=values):
                return of_dict(zip(keys, values, strict=True), path)
            case ast.ListComp(elt=value) | ast.GeneratorExp(elt=value) | ast.DictComp(value=value):
                return [(value, path[1:])]
        return []

    def _back_from_name(self, node: ast.Name, path: Path) -> list[Place]:
        steps = self._bound(self.bindings(node))
        meaning = self.modules.meaning(node)
        if steps == [] and meaning is not None:  # of `import *`
            steps = self._of_dotted(meaning)
        return _within(steps or [], path)

    def _bound(self, bindings: list[Binding]) -> list[Place] | None:
        """The values of some bindings; None if one of them is unknown."""
        steps: list[Place] = []
        for binding in bindings:
            match binding.node:
                case _ if binding.value is not None and not binding.augmented:
                    steps.append((binding.value, binding.path))
                case ast.alias() as alias:
                    names = self.modules.home(alias).names
                    dotted = names.follow(names.imported_as(alias))
                    steps += self._of_dotted(dotted) or [(alias, ())]
                case ast.arg() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    steps.append((binding.node, ()))
                case _:
                    return None
        return steps

    def _of_dotted(self, dotted: str) -> list[Place]:
        """What a dotted name of the project is bound to."""
        source, rest = self.modules.split(dotted)
        if source is None or not rest:
            return []
        if "." in rest:
            definition = self.modules.definition(dotted)
            return [(definition, ())] if definition is not None else []
        values: list[Place] = []
        for binding in source.names.bound(source.tree, rest):
            # An import here is one of several bindings; else it was followed.
            is_import = isinstance(binding.node, ast.alias)
            places = [(binding.node, ())] if is_import else self._bound([binding])
            if places is None:
                return []
            values += places
        return values

    def _back_from_call(self, node: ast.Call, path: Path) -> list[Place]:
        steps: list[Place] = []
        for function in self.called(node):
            returned = self.returned(function)
            if not returned or not self._returns_plainly(function):
                return []
            steps += [(value, path) for value in returned]
        return steps

    def _back_from_parameter(self, node: ast.arg, path: Path) -> list[Place]:
        function = self.modules.home(node).names.definition_around(node)
        if not isinstance(function, FUNCTIONS) or not self._sees_calls(function):
            return []
        steps: list[Place] = []
        for call in self.calls(function):
            value = argument_for(call, function, node.arg)
            if value is None and not has_hidden_arguments(call.node):
                value = defaults_of(function.args).get(node)
            if value is None:
                return []
            steps.append((value, path))
        return steps

    def returned(self, function: ast.AST) -> list[ast.expr]:
        """The expressions that a function returns."""
        if isinstance(function, ast.Lambda):
            return [function.body]
        values = (getattr(node, "value", None) for node in self._own_nodes(function, ast.Return))
        return [value for value in values if value is not None]

    def _returns_plainly(self, function: Callable) -> bool:
        """Whether the value of a call is what the function's ``return`` statements return."""
        is_constructor = getattr(function, "name", "") == "__init__"
        is_generator = any(self._own_nodes(function, ast.Yield, ast.YieldFrom))
        return has_only_decorators(function, _KEEPING) and not is_constructor and not is_generator

    def is_wrapped(self, function: Function) -> bool:
        """Whether a decorator may call a function with arguments of its own choice."""
        return not has_only_decorators(function, ("abstractmethod", "override", "overrides"))

    def _own_nodes(self, function: ast.AST, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """The nodes of some kinds in a function, without those of functions and classes in it."""
        names = self.modules.home(function).names
        for node in names.below(function):
            if isinstance(node, kinds) and names.definition_around(node) is function:
                yield node

    def called(self, call: ast.Call) -> list[Callable]:
        """The functions of the project that a call may call; empty if it may call any other."""
        if call in self._called:
            return self._called[call]
        if call in self._calling or len(self._calling) > DEEPEST:
            return []  # it depends on itself
        self._calling.add(call)
        callees: list[Callable] = []
        for origin in self.origins(call.func):
            functions = self._functions_of(call, origin)
            if not functions:
                callees = []
                break
            callees += functions
        self._calling.remove(call)
        self._called[call] = callees
        return callees

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
        known = [method for method in methods if method is not None]
        return known if len(known) == len(methods) else []

    def _method_of(self, origin: Origin, name: str) -> Function | None:
        """The method of an instance that is made by calling its class."""
        if origin.path or not isinstance(origin.node, ast.Call):
            return None
        makers = self.origins(origin.node.func)
        classes = [maker.node for maker in makers if not maker.path]
        if len(classes) != 1 or not isinstance(classes[0], ast.ClassDef):
            return None
        return self.method(classes[0], name)

    def call_of(self, node: ast.Call, function: Callable) -> Call:
        """A call, and whether it fills the first parameter of a function with an object."""
        owner = self.modules.home(function).names.parents.get(function)
        if not isinstance(owner, ast.ClassDef) or has_decorator(function, "staticmethod"):
            return Call(node, bound=False)
        is_constructor = getattr(function, "name", "") == "__init__"
        if not isinstance(node.func, ast.Attribute):
            return Call(node, bound=is_constructor)
        # Class.method(self, ...) passes the object itself.
        target = self.modules.meaning(node.func.value)
        of_class = target is not None and isinstance(self.modules.definition(target), ast.ClassDef)
        makes_object = is_constructor and node.func.attr != "__init__"
        return Call(node, not of_class or has_decorator(function, "classmethod") or makes_object)


def _within(values: list[Place], path: Path) -> list[Place]:
    """The members of some values at a path."""
    return [(value, (*inner, *path)) for value, inner in values]
