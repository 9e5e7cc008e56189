"""The value-flow graph of a project: where a value comes from, and where it goes.

It follows assignments, rebinding, unpacking, branches, calls and returns, attributes of ``self``,
modules, star imports, and the members of tuples and dicts. It is demand-driven: nothing is computed
before a rule asks.

Calls are not told apart by their caller: a parameter may have the value of any call of its
function. What cannot be followed ends as an origin or a use of its own, never as silence.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import overload

from pedl2det.analysis.bindings import Binding, Path, Reaching, Step, reaching
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.scopes import FUNCTIONS
from pedl2det.analysis.source import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef
Callable = Function | ast.Lambda


@dataclass(frozen=True)
class Origin:
    """Where a value comes from, as far as it can be followed.

    Attributes:
        node: the expression (a call, a literal, an unknown name), a parameter (``ast.arg``) that
            no visible call fills, or a definition (function, class, import alias).
        path: the member of that value that is meant; empty for the value itself.
    """

    node: ast.AST
    path: Path = ()


class Way(Enum):
    """What happens to a value at a use."""

    RETURNED = "returned"  #: by a function that is not called in the project, or is an entry
    ARGUMENT = "argument"  #: of a call that cannot be followed
    ATTRIBUTE = "attribute"  #: read from it, ``value.x``
    METHOD = "method"  #: called on it, ``value.x()``
    ITEM = "item"  #: read from it, ``value[x]``
    STORED = "stored"  #: a member of it is set or deleted, ``value[x] = y``, ``value.x = y``
    ITERATED = "iterated"
    TESTED = "tested"  #: in a condition, a comparison or an f-string
    MEMBER = "member"  #: of a list, dict or tuple that cannot be followed
    YIELDED = "yielded"
    OTHER = "other"


@dataclass(frozen=True)
class Use:
    """Where a value goes.

    Attributes:
        way: what happens to it.
        node: the expression that reads the value there.
        around: the expression or statement that uses it: the call, attribute, subscript, return.
        path: the member of the returned or passed value that the value is.
        function: for ``RETURNED``, the function.
    """

    way: Way
    node: ast.expr
    around: ast.AST
    path: Path = ()
    function: ast.AST | None = None


@dataclass(frozen=True)
class Call:
    """A call of a function of the project.

    Attributes:
        node: the call.
        bound: whether the first parameter is filled by the object (``self``, ``cls``).
    """

    node: ast.Call
    bound: bool


class Flow:
    """Answers about the values of one project.

    Args:
        modules: its files.
        entries: functions whose returned values leave the project, such as the data loaders.
    """

    def __init__(self, modules: Modules, entries: frozenset[ast.AST] = frozenset()) -> None:
        self.modules = modules
        self._entries = entries
        self._reaching: dict[ast.AST, Reaching] = {}
        #: Calls and escapes are found without looking through parameters, which need both.
        self._sees_parameters = False
        self._is_preparing = False
        #: The calls whose functions are being looked for.
        self._asked: set[ast.Call] = set()

    # Where a value comes from.

    def origins(self, node: ast.AST, path: Path = ()) -> list[Origin]:
        """Every place where the value of an expression, or a member of it, may come from."""
        found: dict[Origin, None] = {}
        waiting = [(node, path)]
        seen: set[tuple[ast.AST, Path]] = set()
        while waiting:
            here = waiting.pop()
            if here in seen or len(here[1]) > 6:
                continue
            seen.add(here)
            steps = self._back(*here)
            if steps is None:
                found[Origin(*here)] = None
            else:
                waiting += reversed(steps)
        return list(found)

    def _back(self, node: ast.AST, path: Path) -> list[tuple[ast.AST, Path]] | None:
        """One step towards the origins; None where the value starts."""
        match node:
            case ast.Name():
                return self._back_from_name(node, path)
            case ast.NamedExpr(value=value) | ast.Starred(value=value) | ast.Await(value=value):
                return [(value, path)]
            case ast.IfExp(body=body, orelse=orelse):
                return [(body, path), (orelse, path)]
            case ast.BoolOp(values=values):
                return [(value, path) for value in values]
            case ast.Attribute():
                return self._back_from_attribute(node, path)
            case ast.Subscript(value=value, slice=key):
                member = key.value if isinstance(key, ast.Constant) else None
                step = member if isinstance(member, int | str) else None
                steps = [
                    (origin.node, origin.path) for origin in self.origins(value, (step, *path))
                ]
                return steps if self._moves(steps) else None
            case ast.Call():
                return self._back_from_call(node, path)
            case ast.Tuple(elts=elements) | ast.List(elts=elements) if path:
                return self._members(elements, path)
            case ast.Dict(keys=keys, values=values) if path:
                named = [one.value if isinstance(one, ast.Constant) else None for one in keys]
                chosen = [
                    value
                    for name, value in zip(named, values, strict=True)
                    if path[0] is None or name is None or name == path[0]
                ]
                return [(value, path[1:]) for value in chosen]
            case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element) if path:
                return [(element, path[1:])]
            case ast.DictComp(value=value) if path:
                return [(value, path[1:])]
            case ast.arg():
                return self._back_from_parameter(node, path)
        return None

    @staticmethod
    def _moves(steps: list[tuple[ast.AST, Path]]) -> bool:
        """Whether following a subscript led to a member, not only to the same question."""
        return bool(steps) and all(not isinstance(one, ast.Subscript) for one, _ in steps)

    def _members(self, elements: list[ast.expr], path: Path) -> list[tuple[ast.AST, Path]] | None:
        step = path[0]
        starred = any(isinstance(one, ast.Starred) for one in elements)
        if isinstance(step, int) and not starred and -len(elements) <= step < len(elements):
            return [(elements[step], path[1:])]
        return [
            (one, path) if isinstance(one, ast.Starred) else (one, path[1:]) for one in elements
        ]

    def _back_from_name(self, node: ast.Name, path: Path) -> list[tuple[ast.AST, Path]] | None:
        steps: list[tuple[ast.AST, Path]] = []
        for binding in self.bindings(node):
            found = self._back_from_binding(binding, path)
            if found is None:
                return None
            steps += found
        return steps or None

    def _back_from_binding(self, binding: Binding, path: Path) -> list[tuple[ast.AST, Path]] | None:
        if binding.value is not None and not binding.augmented:
            return [(binding.value, (*binding.path, *path))]
        if isinstance(binding.node, ast.arg):
            return [(binding.node, path)]
        if isinstance(binding.node, ast.alias):
            return self._back_from_alias(binding, path)
        if isinstance(binding.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return [(binding.node, path)]
        return None

    def _back_from_alias(self, binding: Binding, path: Path) -> list[tuple[ast.AST, Path]] | None:
        source = self.modules.home(binding.node)
        meanings = [one for one in source.names.module_bindings(binding.name) if one]
        for meaning in meanings:
            found = self._module_value(source.names.follow(meaning))
            if found:
                return [(one, path) for one in found]
        return [(binding.node, path)]

    def _module_value(self, dotted: str) -> list[ast.AST]:
        """What a dotted name of the project is bound to."""
        definition = self.modules.definition(dotted)
        if definition is not None:
            return [definition]
        source, rest = self.modules.split(dotted)
        if source is None or not rest or "." in rest:
            return []
        found = self.scope(source.tree).bindings.get(rest, [])
        values = [one.value for one in found if one.value is not None and not one.path]
        return list(values) if len(values) == len(found) else []

    def _back_from_attribute(
        self, node: ast.Attribute, path: Path
    ) -> list[tuple[ast.AST, Path]] | None:
        dotted = self.modules.meaning(node)
        if dotted is not None:
            found = self._module_value(dotted)
            return [(one, path) for one in found] or None
        values = self.attribute_values(node)
        return [(value, (*inner, *path)) for value, inner in values] or None

    def _back_from_call(self, node: ast.Call, path: Path) -> list[tuple[ast.AST, Path]] | None:
        if path and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
            chosen = [one for one in node.keywords if path[0] is None or one.arg == path[0]]
            return [(one.value, path[1:]) for one in chosen] or None
        steps: list[tuple[ast.AST, Path]] = []
        functions = self.called(node)
        for function in functions:
            returned = self.returned(function)
            if not returned:
                return None
            steps += [(value, path) for value in returned]
        return steps or None

    def _back_from_parameter(self, node: ast.arg, path: Path) -> list[tuple[ast.AST, Path]] | None:
        function = self.modules.home(node).names.definition_around(node)
        if not isinstance(function, FUNCTIONS) or not self._sees_through(function):
            return None
        steps: list[tuple[ast.AST, Path]] = []
        for call in self.calls(function):
            value = argument_for(call, function, node.arg)
            if value is None:
                value = _default(function, node)
            if value is None:
                return None
            steps.append((value, path))
        return steps or None

    # Where a value goes.

    def uses(self, node: ast.expr, path: Path = ()) -> list[Use]:
        """Every place to which the value of an expression may go."""
        found: dict[Use, None] = {}
        waiting: list[tuple[ast.expr, Path]] = [(node, path)]
        seen: set[tuple[ast.AST, Path]] = set()
        while waiting:
            here = waiting.pop()
            if here in seen or len(here[1]) > 6:
                continue
            seen.add(here)
            ends, steps = self._forward(*here)
            found |= dict.fromkeys(ends)
            waiting += steps
        return list(found)

    def parameter_uses(self, parameter: ast.arg) -> list[Use]:
        """Every place to which the value of a parameter may go."""
        return [use for name in self.reads_of(parameter) for use in self.uses(name)]

    def _forward(self, node: ast.expr, path: Path) -> tuple[list[Use], list[tuple[ast.expr, Path]]]:
        """One step from an expression: ends, and expressions that have the value next."""
        source = self.modules.home(node)
        parent = source.names.parents.get(node)
        match parent:
            case ast.Assign(targets=targets, value=value) if value is node:
                steps = [one for target in targets for one in self._into(target, path)]
                return self._kept(node, parent, targets, path), steps
            case ast.AnnAssign(target=target, value=value) if value is node:
                return self._kept(node, parent, [target], path), self._into(target, path)
            case ast.NamedExpr(target=target):
                return [], [(parent, path), *self._into(target, path)]
            case ast.IfExp(test=test) | ast.While(test=test) | ast.If(test=test) if test is node:
                return [Use(Way.TESTED, node, parent, path)], []
            case ast.IfExp() | ast.BoolOp() | ast.Starred() | ast.Await():
                return [], [(parent, path)]
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                step: Step = elements.index(node)
                return [], [(parent, (step, *path))]
            case ast.Dict(keys=keys, values=values) if node in values:
                key = keys[values.index(node)]
                named = key.value if isinstance(key, ast.Constant) else None
                step = named if isinstance(named, int | str) else None
                return [], [(parent, (step, *path))]
            case ast.Return():
                return self._returned_from(node, parent, path)
            case ast.Lambda(body=body) if body is node:
                return self._returned_from(node, parent, path)
            case ast.Call(func=func) if func is node:
                return [Use(Way.METHOD, node, parent, path)], []
            case ast.Call() | ast.keyword():
                return self._into_call(node, path)
            case ast.Attribute():
                return self._attribute_of(node, parent, path), []
            case ast.Subscript(value=value) if value is node:
                return self._item_of(node, parent, path)
            case ast.For(iter=iterated) | ast.AsyncFor(iter=iterated) if iterated is node:
                if path:  # a member of it becomes the loop's target
                    return [], self._into(parent.target, path[1:])
                return [Use(Way.ITERATED, node, parent)], []
            case ast.comprehension(iter=iterated) if iterated is node:
                return [Use(Way.ITERATED, node, parent, path)], []
            case ast.Compare() | ast.FormattedValue() | ast.Assert() | ast.UnaryOp():
                return [Use(Way.TESTED, node, parent, path)], []
            case ast.Yield() | ast.YieldFrom():
                return [Use(Way.YIELDED, node, parent, path)], []
            case ast.Expr():
                return [], []
            case ast.List() | ast.Set() | ast.Dict():
                return [Use(Way.MEMBER, node, parent, path)], []
        return [Use(Way.OTHER, node, parent or node, path)], []

    def _kept(
        self, node: ast.expr, parent: ast.AST, targets: list[ast.expr], path: Path
    ) -> list[Use]:
        """Targets of an assignment that cannot be followed, such as ``other.x = value``."""
        ends = []
        for target in targets:
            is_self = isinstance(target, ast.Attribute) and self._class_of_self(target) is not None
            if isinstance(target, ast.Subscript) or (
                isinstance(target, ast.Attribute) and not is_self
            ):
                ends.append(Use(Way.MEMBER, node, parent, path))
        return ends

    def _into(self, target: ast.expr, path: Path) -> list[tuple[ast.expr, Path]]:
        """The expressions that read what a target was given."""
        match target:
            case ast.Name():
                return [(name, path) for name in self.reads_of(target)]
            case ast.Tuple(elts=elements) | ast.List(elts=elements) if path:
                step = path[0]
                starred = any(isinstance(one, ast.Starred) for one in elements)
                if isinstance(step, int) and not starred and step < len(elements):
                    return self._into(elements[step], path[1:])
                return [one for element in elements for one in self._into(element, path[1:])]
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return [one for element in elements for one in self._into(element, ())]
            case ast.Starred(value=inner):
                return self._into(inner, path)
            case ast.Attribute():
                return [(read, path) for read in self.attribute_reads(target)]
        return []

    def _returned_from(
        self, node: ast.expr, parent: ast.AST, path: Path
    ) -> tuple[list[Use], list[tuple[ast.expr, Path]]]:
        around = self.modules.home(node).names.definition_around(node)
        function = parent if isinstance(parent, ast.Lambda) else around
        if not isinstance(function, FUNCTIONS):
            return [Use(Way.OTHER, node, parent, path)], []
        steps = [(call.node, path) for call in self.calls(function)]
        leaves = function in self._entries or not steps or self.escapes(function)
        ends = [Use(Way.RETURNED, node, parent, path, function)] if leaves else []
        return ends, list(steps)

    def _into_call(
        self, node: ast.expr, path: Path
    ) -> tuple[list[Use], list[tuple[ast.expr, Path]]]:
        source = self.modules.home(node)
        call = source.names.parents[node]
        name = None
        if isinstance(call, ast.keyword):
            name, call = call.arg, source.names.parents[call]
        if not isinstance(call, ast.Call):  # a keyword of a class
            return [Use(Way.OTHER, node, call, path)], []
        functions = self.called(call)
        steps: list[tuple[ast.expr, Path]] = []
        for function in functions:
            parameter = parameter_for(call, function, node, name, self._is_bound(call, function))
            if parameter is None:
                return [Use(Way.ARGUMENT, node, call, path)], []
            steps += [(read, path) for read in self.reads_of(parameter)]
        return ([] if functions else [Use(Way.ARGUMENT, node, call, path)]), steps

    def _attribute_of(self, node: ast.expr, parent: ast.Attribute, path: Path) -> list[Use]:
        if not isinstance(parent.ctx, ast.Load):
            return [Use(Way.STORED, node, parent, path)]
        above = self.modules.home(node).names.parents.get(parent)
        if isinstance(above, ast.Call) and above.func is parent:
            return [Use(Way.METHOD, node, above, path)]
        return [Use(Way.ATTRIBUTE, node, parent, path)]

    def _item_of(
        self, node: ast.expr, parent: ast.Subscript, path: Path
    ) -> tuple[list[Use], list[tuple[ast.expr, Path]]]:
        if not isinstance(parent.ctx, ast.Load):
            return [Use(Way.STORED, node, parent, path)], []
        if not path:
            return [Use(Way.ITEM, node, parent)], []
        key = parent.slice.value if isinstance(parent.slice, ast.Constant) else None
        if key is None or path[0] is None or key == path[0]:
            return [], [(parent, path[1:])]
        return [], []

    # Names and scopes.

    def scope(self, node: ast.AST) -> Reaching:
        """The reaching definitions of a module, function, lambda or class body."""
        if node not in self._reaching:
            self._reaching[node] = reaching(node)
        return self._reaching[node]

    def bindings(self, name: ast.Name) -> list[Binding]:
        """The bindings that a name may hold where it is read."""
        source = self.modules.home(name)
        binder = source.names.binder(name)
        if binder is None:
            return []
        own = self._scope_around(source, name)
        if own is binder or _is_comprehension_of(source, binder, own):
            found = self.scope(own).reads.get(name)
            if found:
                return list(found)
        if isinstance(binder, (ast.Module, ast.ClassDef, *FUNCTIONS)):
            return [
                *self.scope(binder).bindings.get(name.id, []),
                *self._set_by_global(source, binder, name.id),
            ]
        return self.scope(own).bindings.get(name.id, [])

    def _set_by_global(self, source: Source, binder: ast.AST, name: str) -> Iterator[Binding]:
        """Bindings of a name of the module in functions that declare it global."""
        if not isinstance(binder, ast.Module):
            return
        for node in source.names.of(ast.Global):
            if name in node.names:
                function = source.names.definition_around(node)
                if function is not None:
                    yield from self.scope(function).bindings.get(name, [])

    def _scope_around(self, source: Source, node: ast.AST) -> ast.AST:
        """The function, lambda, class or module whose statements a node belongs to."""
        parents = source.names.parents
        child = node
        while child in parents:
            parent = parents[child]
            if isinstance(parent, FUNCTIONS):
                body = parent.body if isinstance(parent.body, list) else [parent.body]
                if child in body or (isinstance(child, ast.arguments) and child is node):
                    return parent
            elif (isinstance(parent, ast.ClassDef) and child in parent.body) or isinstance(
                parent, ast.Module
            ):
                return parent
            child = parent
        return source.tree

    @overload
    def reads_of(self, target: ast.arg) -> list[ast.Name]: ...

    @overload
    def reads_of(self, target: ast.AST) -> list[ast.Name] | list[ast.expr]: ...

    def reads_of(self, target: ast.AST) -> list[ast.Name] | list[ast.expr]:
        """The names that may read what a target or a parameter was given."""
        source = self.modules.home(target)
        name = target.arg if isinstance(target, ast.arg) else getattr(target, "id", "")
        if isinstance(target, ast.arg):
            scope: ast.AST | None = source.names.definition_around(target)
        else:
            scope = self._scope_around(source, target)
        assert scope is not None
        if isinstance(target, ast.Name):
            binder = source.names.binder(target)
            if isinstance(binder, ast.Module) and scope is not binder:  # `global name`
                scope = binder
        facts = self.scope(scope)
        mine = [one for one in facts.bindings.get(name, []) if one.node is target]
        found = [read for one in mine for read in facts.used_at(one)]
        for read in self._reads_by_name[name]:
            home = self.modules.home(read)
            if home is source and read not in facts.reads and source.names.binder(read) is scope:
                found.append(read)  # in an inner function
        if isinstance(scope, ast.Module) and isinstance(target, ast.Name):
            return [*found, *self._reads_elsewhere(source, name)]
        return found

    @cached_property
    def _reads_by_name(self) -> dict[str, list[ast.Name]]:
        found: dict[str, list[ast.Name]] = defaultdict(list)
        for source in self.modules:
            for node in source.names.of(ast.Name):
                if isinstance(node.ctx, ast.Load):
                    found[node.id].append(node)
        return found

    def _reads_elsewhere(self, source: Source, name: str) -> list[ast.expr]:
        """Where other modules read a name of a module."""
        dotted = f"{self.modules.name_of(source)}.{name}"
        return [
            node
            for node, meaning in self._meanings
            if meaning == dotted and self.modules.home(node) is not source
        ]

    @cached_property
    def _meanings(self) -> list[tuple[ast.expr, str]]:
        """Every dotted expression and what it means."""
        found: list[tuple[ast.expr, str]] = []
        for source in self.modules:
            for node in source.names.of(ast.Name, ast.Attribute):
                if isinstance(node.ctx, ast.Load):
                    meaning = self.modules.meaning(node)
                    if meaning is not None:
                        found.append((node, meaning))
        return found

    # Functions and calls.

    def called(self, call: ast.Call) -> list[Callable]:
        """The functions of the project that a call may call; empty if any may be another."""
        if call in self._asked:  # `f = f()`: what is called comes from the call itself
            return []
        self._asked.add(call)
        try:
            return self._find_called(call)
        finally:
            self._asked.discard(call)

    def _find_called(self, call: ast.Call) -> list[Callable]:
        found: list[Callable] = []
        for origin in self.origins(call.func):
            if origin.path:
                return []
            node = origin.node
            if isinstance(node, Callable):
                found.append(node)
            elif isinstance(node, ast.ClassDef):
                constructor = self.method(node, "__init__")
                if constructor is None:
                    return []
                found.append(constructor)
            else:
                method = self._method_called(node) if node is call.func else None
                if method is None:
                    return []
                found += method
        return found

    def _method_called(self, node: ast.AST) -> list[Callable] | None:
        """The methods that ``self.x``, ``super().x`` or ``Class.x`` may mean."""
        if not isinstance(node, ast.Attribute):
            return None
        owner = self._class_of_self(node)
        if owner is not None:
            found: list[Callable] = [*self.overrides(owner, node.attr)]
            return found or None
        if isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "super":
            around = self._class_around(node)
            return self._above(around, node.attr) or None if around else None
        return None

    def _above(self, owner: ast.ClassDef, name: str) -> list[Callable]:
        """The methods that ``super().name`` may mean in a class: each heir has an order of its own.

        In a mixin it may be the method of a class that the mixin does not derive from.
        """
        found: dict[Callable, None] = {}
        for heir in self.family(owner):
            order = self._resolution_order(heir)
            for base in order[order.index(owner) + 1 :] if owner in order else []:
                method = self.own_method(base, name)
                if method is not None:
                    found[method] = None
                    break
        return list(found)

    def _resolution_order(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """The classes of the project in which Python looks for an attribute, in its order."""
        direct = [self._definition(base) for base in node.bases]
        bases = [one for one in direct if one is not None and node not in self.bases(one)]
        lines = [*(self._resolution_order(one) for one in bases), bases]
        order = [node]
        while any(lines):
            lines = [line for line in lines if line]
            heads = [line[0] for line in lines]
            free = [one for one in heads if not any(one in line[1:] for line in lines)]
            chosen = (free or heads)[0]
            order.append(chosen)
            lines = [[one for one in line if one is not chosen] for line in lines]
        return order

    def _definition(self, base: ast.expr) -> ast.ClassDef | None:
        """The class of the project that a base of a class is."""
        meaning = self.modules.meaning(base)
        found = self.modules.definition(meaning) if meaning else None
        return found if isinstance(found, ast.ClassDef) else None

    @cached_property
    def _calls(self) -> dict[ast.AST, list[Call]]:
        self._is_preparing = True
        found: dict[ast.AST, list[Call]] = defaultdict(list)
        for source in self.modules:
            for call in source.names.of(ast.Call):
                for function in self.called(call):
                    found[function].append(Call(call, self._is_bound(call, function)))
        self._is_preparing = False
        return found

    def calls(self, function: ast.AST) -> list[Call]:
        """The calls of a function in the project."""
        return self._calls.get(function, [])

    @cached_property
    def _escaping(self) -> set[ast.AST]:
        """Functions that are read as values in a way that hides some of their calls."""
        callees = {
            id(node)
            for calls in self._calls.values()
            for call in calls
            for node in ast.walk(call.node.func)
        }
        found: set[ast.AST] = set()
        for source in self.modules:
            for node in source.names.of(ast.Name, ast.Attribute):
                if not isinstance(node.ctx, ast.Load) or id(node) in callees:
                    continue
                for origin in self.origins(node):
                    is_function = isinstance(origin.node, Function) and not origin.path
                    if is_function and not self._only_leads_to_calls(node):
                        found.add(origin.node)
                owner = self._class_of_self(node) if isinstance(node, ast.Attribute) else None
                if owner is not None and isinstance(node, ast.Attribute):
                    methods = self.overrides(owner, node.attr)
                    found.update(one for one in methods if isinstance(one, Function))
        return found

    def _only_leads_to_calls(self, node: ast.expr) -> bool:
        """Whether a function that is read as a value is called in the end, and nothing else."""
        uses = self.uses(node)
        known = {id(call.node) for calls in self._calls.values() for call in calls}
        return bool(uses) and all(
            use.way is Way.METHOD and not use.path and id(use.around) in known for use in uses
        )

    def escapes(self, function: ast.AST) -> bool:
        """Whether a function may be called in ways that are not seen."""
        if isinstance(function, ast.Lambda):
            return not self.calls(function)
        return function in self._escapes or bool(getattr(function, "decorator_list", ()))

    @property
    def _escapes(self) -> set[ast.AST]:
        if not self._sees_parameters:
            if self._is_preparing:
                return set()
            self._is_preparing = True
            self._escaping  # noqa: B018 - computed once, before parameters are followed
            self._sees_parameters = True
        return self._escaping

    def _sees_through(self, function: ast.AST) -> bool:
        """Whether every call of a function is seen, so that its parameters can be followed."""
        if self._is_preparing and not self._sees_parameters:
            return False
        return not self.escapes(function)

    def returned(self, function: ast.AST) -> list[ast.expr]:
        """The expressions that a function returns."""
        if isinstance(function, ast.Lambda):
            return [function.body]
        source = self.modules.home(function)
        return [
            node.value
            for node in source.names.below(function)
            if isinstance(node, ast.Return)
            and node.value is not None
            and source.names.definition_around(node) is function
        ]

    def _is_bound(self, call: ast.Call, function: ast.AST) -> bool:
        """Whether a call fills the function's first parameter with an object."""
        source = self.modules.home(function)
        owner = source.names.parents.get(function)
        if not isinstance(owner, ast.ClassDef) or is_static(function):
            return False
        if getattr(function, "name", "") == "__init__" and not isinstance(call.func, ast.Attribute):
            return True
        if not isinstance(call.func, ast.Attribute):
            return False
        # Class.method(self, ...) hands the object on itself.
        target = self.modules.meaning(call.func.value)
        definition = self.modules.definition(target) if target else None
        explicit = isinstance(definition, ast.ClassDef) and not is_classmethod(function)
        return not explicit or (
            getattr(function, "name", "") == "__init__" and call.func.attr != ("__init__")
        )

    # Classes.

    def bases(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and the classes of the project that it derives from, itself first."""
        found = [node]
        for one in found:
            for base in one.bases:
                definition = self._definition(base)
                if definition is not None and definition not in found:
                    found.append(definition)
        return found

    @cached_property
    def _families(self) -> dict[ast.ClassDef, list[ast.ClassDef]]:
        """Each class with every class that may share an instance with it."""
        lines = [
            self.bases(node) for source in self.modules for node in source.names.of(ast.ClassDef)
        ]
        found: dict[ast.ClassDef, list[ast.ClassDef]] = defaultdict(list)
        for line in lines:
            for one in line:
                found[one] += [other for other in line if other not in found[one]]
        return found

    def family(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class, what it derives from, what derives from it, and mixins beside it."""
        return self._families.get(node, [node])

    def own_method(self, node: ast.ClassDef, name: str) -> Function | None:
        """The method that a class itself defines."""
        found = [one for one in node.body if isinstance(one, Function) and one.name == name]
        return found[-1] if found else None

    def method(self, node: ast.ClassDef, name: str) -> Function | None:
        """The method that an instance of a class has, as far as the project defines it."""
        for one in self.bases(node):
            found = self.own_method(one, name)
            if found is not None:
                return found
        return None

    def overrides(self, node: ast.ClassDef, name: str) -> list[Function]:
        """The methods that ``self.name`` may mean in a method of a class."""
        found = [self.own_method(one, name) for one in self.family(node)]
        return [one for one in found if one is not None]

    def attribute_values(self, node: ast.Attribute) -> list[tuple[ast.expr, Path]]:
        """What ``self.x`` is set to anywhere in the family of its class; else nothing."""
        owner = self._class_of_self(node)
        if owner is None:
            return []
        found: list[tuple[ast.expr, Path]] = []
        for one in self.family(owner):
            source = self.modules.home(one)
            for binding in self.scope(one).bindings.get(node.attr, []):
                if binding.value is None:
                    return []
                found.append((binding.value, binding.path))
            for other in source.names.below(one):
                if not isinstance(other, ast.Attribute) or other.attr != node.attr:
                    continue
                if isinstance(other.ctx, ast.Store) and self._class_of_self(other) is not None:
                    value = _assigned(source, other)
                    if value is None:
                        return []
                    found.append(value)
        return found

    def attribute_reads(self, target: ast.Attribute) -> list[ast.Attribute]:
        """Where ``self.x`` is read in the family of its class."""
        owner = self._class_of_self(target)
        if owner is None:
            return []
        return [
            node
            for one in self.family(owner)
            for node in self.modules.home(one).names.below(one)
            if isinstance(node, ast.Attribute)
            and node.attr == target.attr
            and isinstance(node.ctx, ast.Load)
            and self._class_of_self(node) is not None
        ]

    def _class_of_self(self, node: ast.Attribute) -> ast.ClassDef | None:
        """The class in whose method ``self.x`` stands."""
        if not isinstance(node.value, ast.Name):
            return None
        source = self.modules.home(node)
        binder = source.names.binder(node.value)
        if not isinstance(binder, Function) or is_static(binder):
            return None
        owner = source.names.parents.get(binder)
        first = [*binder.args.posonlyargs, *binder.args.args][:1]
        if not isinstance(owner, ast.ClassDef) or not first or first[0].arg != node.value.id:
            return None
        return owner

    def _class_around(self, node: ast.AST) -> ast.ClassDef | None:
        parents = self.modules.home(node).names.parents
        while node in parents:
            node = parents[node]
            if isinstance(node, ast.ClassDef):
                return node
        return None


def _is_comprehension_of(source: Source, binder: ast.AST, own: ast.AST) -> bool:
    """Whether a comprehension stands in a scope's own statements."""
    if not isinstance(binder, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return False
    node: ast.AST = binder
    while node in source.names.parents and node is not own:
        node = source.names.parents[node]
    return node is own


def is_static(function: ast.AST) -> bool:
    """Whether a method is a static one."""
    return _is_decorated(function, "staticmethod")


def is_classmethod(function: ast.AST) -> bool:
    """Whether a method is a class method."""
    return _is_decorated(function, "classmethod")


def is_wrapped(function: Function) -> bool:
    """Whether a decorator may call a function with arguments of its own choice."""
    names = {ast.unparse(one).rpartition(".")[2] for one in function.decorator_list}
    return bool(names - {"abstractmethod", "override", "overrides"})


def _is_decorated(function: ast.AST, name: str) -> bool:
    decorators = getattr(function, "decorator_list", ())
    return any(isinstance(one, ast.Name) and one.id == name for one in decorators)


def _assigned(source: Source, target: ast.expr) -> tuple[ast.expr, Path] | None:
    """What an assignment gives to a target, which may be a part of a tuple."""
    path: list[Step] = []
    node: ast.AST = target
    while True:
        parent = source.names.parents[node]
        match parent:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                path.insert(0, elements.index(node))  # type: ignore[arg-type]
            case ast.Assign(value=value):
                return value, tuple(path)
            case ast.AnnAssign(value=value) if value is not None:
                return value, ()
            case _:
                return None
        node = parent


def _parameters(function: Callable, bound: bool) -> list[ast.arg]:
    found = [*function.args.posonlyargs, *function.args.args]
    return found[1:] if bound else found


def argument_for(call: Call, function: Callable, name: str) -> ast.expr | None:
    """The argument that a call gives to a parameter; None if it gives none that is visible."""
    for keyword in call.node.keywords:
        if keyword.arg == name:
            return keyword.value
    if any(isinstance(one, ast.Starred) for one in call.node.args):
        return None
    names = [one.arg for one in _parameters(function, call.bound)]
    if name in names and names.index(name) < len(call.node.args):
        return call.node.args[names.index(name)]
    return None


def parameter_for(
    call: ast.Call, function: Callable, node: ast.expr, name: str | None, bound: bool
) -> ast.arg | None:
    """The parameter that an argument of a call fills; None if that is not visible."""
    parameters = _parameters(function, bound)
    if name is not None:
        everything = [*parameters, *function.args.kwonlyargs]
        return next((one for one in everything if one.arg == name), None)
    if node not in call.args or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    index = call.args.index(node)
    return parameters[index] if index < len(parameters) else None


def _default(function: Callable, node: ast.arg) -> ast.expr | None:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = list(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    pairs += [
        (one, default)
        for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    ]
    return next((default for one, default in pairs if one is node), None)
