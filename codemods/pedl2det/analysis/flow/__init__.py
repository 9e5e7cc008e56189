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
from functools import cached_property

from pedl2det.analysis.bindings import Path
from pedl2det.analysis.flow.origins import Origins, each_once
from pedl2det.analysis.flow.values import (
    Call,
    Callable,
    Function,
    Use,
    Way,
    element,
    has_only_decorators,
    parameter_for,
    step_of,
)
from pedl2det.analysis.modules import Modules

#: A use, where a value ends, or an expression that has the value next.
Next = Use | tuple[ast.expr, Path]
#: Expressions and statements that only test a value, which does not leave them.
_TESTS = (ast.Compare, ast.FormattedValue, ast.UnaryOp, ast.IfExp, ast.While, ast.If, ast.Assert)
#: Functions that do not call a class passed to them.
_LOOKING = frozenset(("hasattr", "isinstance", "issubclass", "print", "super", "type"))
#: Nodes that name a class as a base, in an annotation or as an exception.
_NAMING_CLASSES = (ast.ClassDef, ast.FunctionDef, ast.arg, ast.AnnAssign, ast.ExceptHandler)


class Uses(Origins):
    """Where the values of one project go; those that entries return leave it."""

    def __init__(self, modules: Modules, entries: frozenset[ast.AST]) -> None:
        super().__init__(modules)
        self._entries = entries

    def uses(self, node: ast.expr, path: Path = ()) -> list[Use]:
        """Every place to which the value of an expression may go."""
        uses: dict[Use, None] = {}
        for place, is_near in each_once(waiting := [(node, path)]):
            ends = [Use(Way.OTHER, place[0], *place)]
            for step in self._forward(*place) if is_near else ends:
                if isinstance(step, Use):
                    uses[step] = None
                else:
                    waiting.append(step)
        return list(uses)

    def parameter_uses(self, parameter: ast.arg) -> list[Use]:
        """Every place to which the value of a parameter may go."""
        return [use for name in self.reads_of(parameter) for use in self.uses(name)]

    def _forward(self, node: ast.expr, path: Path) -> Iterator[Next]:
        """One step from an expression."""
        parent = self.modules.home(node).names.parents[node]
        match parent:
            case ast.Tuple() | ast.List() | ast.Dict() | ast.Set():
                yield from _into_display(node, parent, path)
            case ast.Call() | ast.keyword():
                yield from self._into_call(node, parent, path)
            case ast.Return() | ast.Lambda():
                yield from self._returned(node, parent, path)
            case ast.Attribute():
                yield self._attribute_of(node, parent, path)
            case ast.Subscript(value=value) if value is node:
                yield from _item_of(node, parent, path)
            case ast.NamedExpr(target=target):
                yield parent, path
                yield from self._into(target, path)
            case ast.IfExp(body=body, orelse=orelse) if node in (body, orelse):
                yield parent, path
            case ast.BoolOp() | ast.Await():
                yield parent, path
            case ast.Assign(value=value) | ast.AnnAssign(value=value) if value is node:
                yield from self._assigned(node, parent, path)
            case ast.For(target=target) | ast.AsyncFor(target=target) if path:
                yield from self._into(target, path[1:])  # a member becomes the target
            case ast.Expr():
                return
            case _:
                way = Way.TESTED if isinstance(parent, _TESTS) else Way.OTHER
                yield Use(way, node, parent, path)

    def _assigned(
        self, node: ast.expr, parent: ast.Assign | ast.AnnAssign, path: Path
    ) -> Iterator[Next]:
        """The reads of all targets; one such as ``other.x`` cannot be followed."""
        waiting = [parent.target] if isinstance(parent, ast.AnnAssign) else [*parent.targets]
        for target in [*waiting]:
            yield from self._into(target, path)
        for target in waiting:
            if isinstance(target, ast.Tuple | ast.List):
                waiting += target.elts
            is_attribute = isinstance(target, ast.Attribute) and self.class_of_self(target) is None
            if is_attribute or isinstance(target, ast.Subscript):
                yield Use(Way.MEMBER, node, parent, path)

    def _into(self, target: ast.expr, path: Path) -> Iterator[tuple[ast.expr, Path]]:
        """The expressions that read the value of a target."""
        match target:
            case ast.Name():
                for read in (*self.reads_of(target), *self.member_reads(target)):
                    yield read, path
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                index = element(elements, path[0]) if path else None
                for part in elements if index is None else [elements[index]]:
                    yield from self._into(part, path[1:])
            case ast.Starred(value=inner):
                yield from self._into(inner, path)
            case ast.Attribute():
                for read in self._of_self(self.class_of_self(target), target.attr, ast.Load):
                    yield read, path

    def _into_call(self, node: ast.expr, parent: ast.AST, path: Path) -> Iterator[Next]:
        """One step into a call: of the value, or with it as an argument."""
        is_keyword = isinstance(parent, ast.keyword)
        call = self.modules.home(node).names.parents[parent] if is_keyword else parent
        if not isinstance(call, ast.Call):  # a keyword of a class
            yield Use(Way.OTHER, node, call, path)
        elif call.func is node:
            yield Use(Way.METHOD, node, call, path)
        else:
            functions = self.called(call)
            filled = [
                parameter_for(self.call_of(call, function), function, node)
                for function in functions
            ]
            if not functions or None in filled:
                yield Use(Way.ARGUMENT, node, call, path)
                return
            for parameter in filled:
                assert parameter is not None
                for read in self.reads_of(parameter):
                    yield read, path

    def _returned(self, node: ast.expr, parent: ast.AST, path: Path) -> Iterator[Next]:
        names = self.modules.home(node).names
        function = parent if isinstance(parent, ast.Lambda) else names.definition_around(node)
        assert function is not None
        calls = self.calls(function)
        if function in self._entries or not calls or self.escapes(function):
            yield Use(Way.RETURNED, node, parent, path, function)
        for call in calls:
            yield call.node, path

    def _attribute_of(self, node: ast.expr, parent: ast.Attribute, path: Path) -> Use:
        if not isinstance(parent.ctx, ast.Load):
            return Use(Way.STORED, node, parent, path)
        above = self.modules.home(node).names.parents[parent]
        if isinstance(above, ast.Call) and above.func is parent:
            return Use(Way.METHOD, node, above, path)
        return Use(Way.ATTRIBUTE, node, parent, path)

    def escapes(self, function: ast.AST) -> bool:
        """Whether a function may have unknown calls: it has decorators, or is an unused lambda."""
        if isinstance(function, ast.Lambda):
            return not self.calls(function)
        return not has_only_decorators(function, ("staticmethod", "classmethod"))

    @cached_property
    def escaping(self) -> set[ast.AST]:
        """The functions that are read as values in a way that hides some of their calls."""
        callees = {node for call in self._known_calls for node in _names_called(call)}
        functions: set[ast.AST] = set()
        for source in self.modules:
            for node in source.names.of(ast.Name, ast.Attribute, ast.Lambda):
                is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
                assert isinstance(node, ast.expr)
                if not is_read or node in callees or self.modules.is_of_library(node):
                    continue
                functions.update(self._hidden_by(node))
                if isinstance(node, ast.Attribute):  # which may mean a method
                    owner = self.class_of_self(node)
                    named = self._methods_by_name[node.attr]
                    functions.update(
                        self.overrides(owner, node.attr) if owner is not None else named
                    )
        return functions

    def _hidden_by(self, node: ast.expr) -> Iterator[Callable]:
        """The functions that may have unknown calls because an expression is read."""
        for origin in self.origins(node):
            if origin.path:
                continue
            if isinstance(origin.node, Callable) and not self._only_leads_to_calls(node):
                yield origin.node
            elif isinstance(origin.node, ast.ClassDef) and not all(
                map(self._hides_no_call, self.uses(node))
            ):
                constructor = self.method(origin.node, "__init__")
                if constructor is not None:
                    yield constructor

    @cached_property
    def _methods_by_name(self) -> dict[str, list[Function]]:
        methods: dict[str, list[Function]] = defaultdict(list)
        for owner in self.modules.of(ast.ClassDef):
            for member in owner.body:
                if isinstance(member, Function):
                    methods[member.name].append(member)
        return methods

    @cached_property
    def _known_calls(self) -> set[ast.Call]:
        return {call.node for calls in self._calls.values() for call in calls}

    def _only_leads_to_calls(self, node: ast.expr) -> bool:
        """Whether a function that is read as a value is only called in the end."""
        uses = self.uses(node)
        return bool(uses) and all(
            use.way is Way.METHOD and not use.path and use.around in self._known_calls
            for use in uses
        )

    def _hides_no_call(self, use: Use) -> bool:
        """Whether a use of a class is a known call, or never calls it."""
        match use:
            case Use(way=Way.METHOD, around=ast.Call(func=ast.Attribute())):
                return True  # of a method of the class
            case Use(way=Way.METHOD, around=call):
                return call in self._known_calls
            case Use(way=Way.ARGUMENT, around=ast.Call(func=ast.Name(id=name))):
                return name in _LOOKING
        return use.way in (Way.ATTRIBUTE, Way.TESTED) or isinstance(use.around, _NAMING_CLASSES)


def _into_display(node: ast.expr, parent: ast.expr, path: Path) -> Iterator[Next]:
    """One step into a tuple, list, set or dict that is written out."""
    match parent:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            yield parent, (elements.index(node), *path)
        case ast.Dict(keys=keys, values=values) if node in values and keys[values.index(node)]:
            yield parent, (step_of(keys[values.index(node)]), *path)
        case _:
            yield Use(Way.MEMBER, node, parent, path)


def _item_of(node: ast.expr, parent: ast.Subscript, path: Path) -> Iterator[Next]:
    """One step through ``value[key]``."""
    if not isinstance(parent.ctx, ast.Load):
        yield Use(Way.STORED, node, parent, path)
    elif not path:
        yield Use(Way.ITEM, node, parent)
    elif isinstance(parent.slice, ast.Slice):
        yield parent, (None, *path[1:])
    else:
        key = parent.slice.value if isinstance(parent.slice, ast.Constant) else None
        if key is None or path[0] is None or key == path[0]:
            yield parent, path[1:]


class Flow(Uses):
    """Answers about the values of one project.

    What ``entries`` return leaves the project, such as the data loaders. Functions in ``given``
    get arguments from outside of it.
    """

    def __init__(
        self,
        modules: Modules,
        entries: frozenset[ast.AST] = frozenset(),
        given: frozenset[ast.AST] = frozenset(),
    ) -> None:
        super().__init__(modules, entries)
        self._given = given
        self._first = Uses(modules, entries)
        self._changed: dict[ast.expr, bool] = {}

    def calls(self, function: ast.AST) -> list[Call]:
        """The calls of a function in the project."""
        return self._first.calls(function)

    def escapes(self, function: ast.AST) -> bool:
        """Whether a function may have unknown calls."""
        return function in self._first.escaping or self._first.escapes(function)

    def _sees_calls(self, function: ast.AST) -> bool:
        return function not in self._given and not self.escapes(function)

    def _is_changed(self, node: ast.expr) -> bool:
        """Whether a list or dict may be changed; not where its members are unpacked at once."""
        parent = self.modules.home(node).names.parents.get(node)
        if isinstance(parent, ast.Assign) and all(
            isinstance(target, ast.Tuple | ast.List) for target in parent.targets
        ):
            return False
        if node not in self._changed:
            self._changed[node] = True  # ends a cycle
            self._changed[node] = any(self._changes(use) for use in self.uses(node))
        return self._changed[node]

    def _changes(self, use: Use) -> bool:
        """Whether a use may change the members of what is used."""
        match use:
            case Use(path=path) if path:
                return False  # it is a member of something else
            case Use(way=Way.OTHER, around=ast.AugAssign()):
                return True
            case Use(way=Way.ARGUMENT, around=ast.Call(func=func) as call):
                is_whole = use.node in call.args or any(
                    keyword.value is use.node and keyword.arg for keyword in call.keywords
                )
                return is_whole and not self.modules.is_of_library(func)
        return use.is_change


def _names_called(call: ast.Call) -> Iterator[ast.AST]:
    """The expressions that name what a call calls, without the arguments of calls in them."""
    waiting: list[ast.AST] = [call.func]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.Call):
            waiting += ast.iter_child_nodes(node)
