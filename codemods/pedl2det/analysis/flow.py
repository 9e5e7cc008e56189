"""The value-flow graph of a project: where a value comes from, and where it goes.

It follows assignments, rebinding, unpacking, branches, calls and returns, attributes of ``self``,
modules, star imports, and the members of tuples and dicts. It is demand-driven: nothing is computed
before a rule asks.

Calls are not told apart by their caller: a parameter may have the value of any call of its
function. What cannot be followed ends as an origin or a use of its own, never as silence.
"""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import overload

from pedl2det.analysis.bindings import Binding, Path, Reaching, Step, reaching
from pedl2det.analysis.decorators import hands_on
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.scopes import FUNCTIONS, imported_as
from pedl2det.analysis.source import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef
Callable = Function | ast.Lambda
#: How many calls deep the function of a call is looked for.
_DEEPEST = 30
#: How many members deep a value is followed.
_LONGEST = 5
#: Methods that change the members of a list or dict.
_CHANGING = frozenset(
    (
        *("append", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse"),
        *("setdefault", "sort", "update"),
    )
)
#: Functions that do not call a class that they are given.
_LOOKING = frozenset(("hasattr", "isinstance", "issubclass", "print", "super", "type"))
#: Decorators that leave what a function returns as it is.
_PLAIN = frozenset(("abstractmethod", "cache", "classmethod", "lru_cache", "staticmethod"))


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
        given: functions that get arguments from outside of the project.
    """

    def __init__(
        self,
        modules: Modules,
        entries: frozenset[ast.AST] = frozenset(),
        given: frozenset[ast.AST] = frozenset(),
    ) -> None:
        self.modules = modules
        self._entries = entries
        self._given = given
        self._reaching: dict[ast.AST, Reaching] = {}
        #: Calls and escapes are found without looking through parameters, which need both.
        self._sees_parameters = False
        self._is_preparing = False
        self._called: dict[tuple[ast.Call, bool], list[Callable]] = {}
        self._calling: set[ast.Call] = set()
        self._changed: dict[ast.expr, bool] = {}
        self._transparent: dict[ast.expr, bool] = {}

    # Where a value comes from.

    def origins(self, node: ast.AST, path: Path = ()) -> list[Origin]:
        """Every place where the value of an expression, or a member of it, may come from."""
        found: dict[Origin, None] = {}
        waiting = [(node, path)]
        seen: set[tuple[ast.AST, Path]] = set()
        while waiting:
            here = waiting.pop()
            if here in seen:
                continue
            seen.add(here)
            steps = self._back(*here) if len(here[1]) <= _LONGEST else None
            if steps is None:
                found[Origin(*here)] = None
            else:
                waiting += reversed(steps)
        return list(found) or [Origin(node, path)]  # it comes from itself alone

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
            case ast.Subscript(value=value, slice=ast.Slice()):
                return [(value, (None, *path[1:]))] if path else None
            case ast.Subscript(value=value, slice=key):
                return [(value, (_step(key), *path))]
            case ast.Call():
                return self._back_from_call(node, path)
            case ast.List() | ast.Dict() | ast.ListComp() | ast.DictComp() if (
                path and self._is_changed(node)
            ):
                return None
            case ast.Tuple(elts=elements) | ast.List(elts=elements) if path:
                return self._members(elements, path)
            case ast.Dict(keys=keys, values=values) if path:
                return _members_of_dict(zip(keys, values, strict=True), path)
            case ast.ListComp(elt=element) | ast.GeneratorExp(elt=element) if path:
                return [(element, path[1:])]
            case ast.DictComp(value=value) if path:
                return [(value, path[1:])]
            case ast.arg():
                return self._back_from_parameter(node, path)
        return None

    def _is_changed(self, node: ast.expr) -> bool:
        """Whether the members of a list or dict may be changed after it was made."""
        if self._is_preparing:
            return False  # who is called may be found too often
        parent = self.modules.home(node).names.parents.get(node)
        if isinstance(parent, ast.Assign) and all(
            isinstance(one, ast.Tuple | ast.List) for one in parent.targets
        ):
            return False  # its members are told apart at once
        if node not in self._changed:
            self._changed[node] = True  # while it is asked
            self._changed[node] = any(self._changes(use) for use in self.uses(node))
        return self._changed[node]

    def _changes(self, use: Use) -> bool:
        """Whether a use may change the members of what is used."""
        match use:
            case Use(path=path) if path:
                return False  # it is a member of something else
            case Use(way=Way.STORED):
                return True
            case Use(way=Way.OTHER, around=ast.AugAssign()):
                return True
            case Use(way=Way.METHOD, around=ast.Call(func=ast.Attribute(attr=name))):
                return name in _CHANGING
            case Use(way=Way.ARGUMENT, around=ast.Call(func=func) as call):
                is_whole = use.node in call.args or any(
                    one.value is use.node and one.arg for one in call.keywords
                )
                return is_whole and not self._is_of_library(func)
        return False

    def _is_of_library(self, node: ast.expr) -> bool:
        """Whether an expression means something of a library or a builtin."""
        meaning = self.modules.meaning(node)
        if meaning is not None:
            return self.modules.split(meaning)[0] is None
        source = self.modules.home(node)
        is_known = isinstance(node, ast.Name) and source.names.binder(node) is None
        return is_known and hasattr(builtins, getattr(node, "id", ""))

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
        meaning = self.modules.meaning(node)
        if not steps and meaning is not None:  # of `import *`
            steps = [(value, (*inner, *path)) for value, inner in self._module_value(meaning)]
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
        source, alias = self.modules.home(binding.node), binding.node
        assert isinstance(alias, ast.alias)
        dotted = alias.name if alias.asname else binding.name
        if isinstance(binding.statement, ast.ImportFrom):
            dotted = imported_as(binding.statement, alias)
        found = self._module_value(source.names.follow(dotted))
        return [(value, (*inner, *path)) for value, inner in found] or [(alias, path)]

    def _module_value(self, dotted: str) -> list[tuple[ast.AST, Path]]:
        """What a dotted name of the project is bound to."""
        source, rest = self.modules.split(dotted)
        if source is None or not rest:
            return []
        if "." in rest:
            definition = self.modules.definition(dotted)
            return [(definition, ())] if definition is not None else []
        values: list[tuple[ast.AST, Path]] = []
        for binding in self._everywhere(source, source.tree, rest):
            if isinstance(binding.node, ast.alias):  # one of several; else it was followed
                values.append((binding.node, ()))
                continue
            found = self._back_from_binding(binding, ())
            if found is None:
                return []
            values += found
        return values

    def _back_from_attribute(
        self, node: ast.Attribute, path: Path
    ) -> list[tuple[ast.AST, Path]] | None:
        dotted = self.modules.meaning(node)
        if dotted is not None:
            found = self._module_value(dotted)
            return [(value, (*inner, *path)) for value, inner in found] or None
        values = self.attribute_values(node)
        return [(value, (*inner, *path)) for value, inner in values] or None

    def _back_from_call(self, node: ast.Call, path: Path) -> list[tuple[ast.AST, Path]] | None:
        if path and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
            if self._is_changed(node):
                return None
            pairs = [
                (ast.Constant(one.arg) if one.arg else None, one.value) for one in node.keywords
            ]
            return _members_of_dict(pairs, path)
        steps: list[tuple[ast.AST, Path]] = []
        functions = self.called(node)
        for function in functions:
            returned = self.returned(function)
            if not returned or not self._returns_its_own(function):
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
            if value is None and not _is_hidden(call.node):
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
            if here in seen:
                continue
            seen.add(here)
            if len(here[1]) > _LONGEST:
                found[Use(Way.OTHER, here[0], here[0], here[1])] = None
                continue
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
            case ast.Tuple() | ast.List() if isinstance(node, ast.Starred):
                if path:
                    return [], [(parent, (None, *path[1:]))]
                return [Use(Way.ITERATED, node.value, node)], []
            case ast.Dict(keys=keys, values=values) if (
                node in values and keys[values.index(node)] is None
            ):
                return ([], [(parent, path)]) if path else ([Use(Way.ITERATED, node, parent)], [])
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                step: Step = elements.index(node)
                return [], [(parent, (step, *path))]
            case ast.Dict(keys=keys, values=values) if node in values:
                return [], [(parent, (_step(keys[values.index(node)]), *path))]
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
        targets = [*targets]
        for target in targets:
            if isinstance(target, ast.Tuple | ast.List):
                targets += target.elts
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
                reads = [*self.reads_of(target), *self._members_read(target)]
                return [(read, path) for read in reads]
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
        if isinstance(parent.slice, ast.Slice):
            return [], [(parent, (None, *path[1:]))]
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
                return [*found, *self._declared(source, binder, name.id)]
        if isinstance(binder, (ast.Module, ast.ClassDef, *FUNCTIONS)):
            return self._everywhere(source, binder, name.id)
        return self.scope(own).bindings.get(name.id, [])

    def _everywhere(self, source: Source, binder: ast.AST, name: str) -> list[Binding]:
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
        if isinstance(target, ast.Name):
            name, own = target.id, self._scope_around(source, target)
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
            found += self._reads_elsewhere(source, name)  # type: ignore[arg-type]
        return found

    def _members_read(self, target: ast.Name) -> list[ast.expr]:
        """Where an attribute of a class is read through its instances or the class."""
        source = self.modules.home(target)
        owner = self._scope_around(source, target)
        if not isinstance(owner, ast.ClassDef):
            return []
        dotted = f"{self.modules.name_of(source)}.{owner.name}.{target.id}"
        by_class = [node for node, meaning in self._meanings if meaning == dotted]
        return [*self._self_reads(owner, target.id), *by_class]

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
        key = call, self._is_preparing
        if key in self._called:
            return self._called[key]
        if call in self._calling or len(self._calling) > _DEEPEST:
            return []  # it depends on itself
        self._calling.add(call)
        found = self._find_called(call)
        self._calling.remove(call)
        self._called[key] = found
        return found

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
            return [*self.overrides(owner, node.attr)] or None
        if isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "super":
            around = self._class_around(node)
            return self._above(around, node.attr) or None if around else None
        known: list[Callable] = []
        for origin in self.origins(node.value):
            method = self._method_of(origin, node.attr)
            if method is None:
                return None
            known.append(method)
        return known

    def _method_of(self, origin: Origin, name: str) -> Function | None:
        """The method of an instance that is made by calling its class."""
        if origin.path or not isinstance(origin.node, ast.Call):
            return None
        classes = [one.node for one in self.origins(origin.node.func) if not one.path]
        if len(classes) != 1 or not isinstance(classes[0], ast.ClassDef):
            return None
        return self.method(classes[0], name)

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
        before, self._is_preparing = self._is_preparing, True
        found: dict[ast.AST, list[Call]] = defaultdict(list)
        for source in self.modules:
            for call in source.names.of(ast.Call):
                for function in self.called(call):
                    found[function].append(Call(call, self._is_bound(call, function)))
        self._is_preparing = before
        return found

    def calls(self, function: ast.AST) -> list[Call]:
        """The calls of a function in the project."""
        return self._calls.get(function, [])

    @cached_property
    def _escaping(self) -> set[ast.AST]:
        """Functions that are read as values in a way that hides some of their calls."""
        callees = {
            node for calls in self._calls.values() for call in calls for node in _names_called(call)
        }
        found: set[ast.AST] = set()
        for source in self.modules:
            for node in source.names.of(ast.Name, ast.Attribute, ast.Lambda):
                is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
                if not is_read or node in callees:
                    continue
                assert isinstance(node, ast.expr)
                found.update(self._hidden_by(node))
                if isinstance(node, ast.Attribute):
                    found.update(self._methods_read(node))
        return found

    def _hidden_by(self, node: ast.expr) -> Iterator[Callable]:
        """The functions that are called in ways that are not seen because an expression is read."""
        for origin in self.origins(node):
            if origin.path:
                continue
            if isinstance(origin.node, Callable) and not self._only_leads_to_calls(node):
                yield origin.node
            elif isinstance(origin.node, ast.ClassDef) and self._hands_on(node):
                constructor = self.method(origin.node, "__init__")
                if constructor is not None:
                    yield constructor

    def _methods_read(self, node: ast.Attribute) -> Iterator[Callable]:
        """The methods that an attribute may mean, where it is not seen to be called."""
        owner = self._class_of_self(node)
        if owner is not None:
            yield from self.overrides(owner, node.attr)
        elif not self._is_of_library(node):
            yield from self._methods_by_name[node.attr]

    @cached_property
    def _methods_by_name(self) -> dict[str, list[Function]]:
        found: dict[str, list[Function]] = defaultdict(list)
        for source in self.modules:
            for owner in source.names.of(ast.ClassDef):
                for one in owner.body:
                    if isinstance(one, Function):
                        found[one.name].append(one)
        return found

    @cached_property
    def _known_calls(self) -> set[ast.Call]:
        return {call.node for calls in self._calls.values() for call in calls}

    def _only_leads_to_calls(self, node: ast.expr) -> bool:
        """Whether a function that is read as a value is called in the end, and nothing else."""
        uses = self.uses(node)
        return bool(uses) and all(
            use.way is Way.METHOD and not use.path and use.around in self._known_calls
            for use in uses
        )

    def _hands_on(self, node: ast.expr) -> bool:
        """Whether a class that is read as a value may be called where it is not seen."""
        for use in self.uses(node):
            name = getattr(getattr(use.around, "func", None), "id", "")
            if use.way is Way.ARGUMENT and name not in _LOOKING:
                return True
            if use.way is Way.METHOD and use.around not in self._known_calls:
                return isinstance(use.around, ast.Call) and use.around.func is use.node
            if use.way in (Way.RETURNED, Way.MEMBER, Way.YIELDED):
                return True
        return False

    def escapes(self, function: ast.AST) -> bool:
        """Whether a function may be called in ways that are not seen."""
        if isinstance(function, ast.Lambda) and not self.calls(function):
            return True
        decorators = getattr(function, "decorator_list", ())
        is_plain = all(
            _is_named(one, ("staticmethod", "classmethod")) or self._is_transparent(one)
            for one in decorators
        )
        return function in self._escapes or not is_plain

    def is_wrapped(self, function: Function) -> bool:
        """Whether a decorator may call a function with arguments of its own choice."""
        return any(
            ast.unparse(one).rpartition(".")[2] not in ("abstractmethod", "override", "overrides")
            and not self._is_transparent(one)
            for one in function.decorator_list
        )

    def _is_transparent(self, decorator: ast.expr) -> bool:
        """Whether a decorator is the project's own and calls a function as it is called."""
        if decorator not in self._transparent:
            self._transparent[decorator] = False
            made = self.origins(decorator)
            self._transparent[decorator] = bool(made) and all(
                not one.path and hands_on(one.node) for one in made
            )
        return self._transparent[decorator]

    @property
    def _escapes(self) -> set[ast.AST]:
        if not self._sees_parameters:
            if self._is_preparing:
                return set()
            self._is_preparing = True
            self._escaping  # noqa: B018 - computed once, before parameters are followed
            self._is_preparing = False
            self._sees_parameters = True
        return self._escaping

    def _sees_through(self, function: ast.AST) -> bool:
        """Whether every call of a function is seen, so that its parameters can be followed."""
        if self._is_preparing or function in self._given:
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

    def _returns_its_own(self, function: Callable) -> bool:
        """Whether a call of a function gives what its ``return`` statements say."""
        if isinstance(function, ast.Lambda):
            return True
        if function.name == "__init__" or not all(
            _is_named(one, _PLAIN) or self._is_transparent(one) for one in function.decorator_list
        ):
            return False
        names = self.modules.home(function).names
        return not any(
            isinstance(one, ast.Yield | ast.YieldFrom) and names.definition_around(one) is function
            for one in names.below(function)
        )

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
        return self._self_reads(owner, target.attr) if owner is not None else []

    def _self_reads(self, owner: ast.ClassDef, name: str) -> list[ast.Attribute]:
        return [
            node
            for one in self.family(owner)
            for node in self.modules.home(one).names.below(one)
            if isinstance(node, ast.Attribute)
            and node.attr == name
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


def _is_decorated(function: ast.AST, name: str) -> bool:
    decorators = getattr(function, "decorator_list", ())
    return any(isinstance(one, ast.Name) and one.id == name for one in decorators)


def _is_named(decorator: ast.expr, names: Iterable[str]) -> bool:
    """Whether a decorator has one of some names, by whatever module."""
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    return getattr(decorator, "attr", getattr(decorator, "id", "")) in names


def _names_called(call: Call) -> Iterator[ast.AST]:
    """The expressions that say what a call calls, without what other calls in it are given."""
    waiting: list[ast.AST] = [call.node.func]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.Call):
            waiting += ast.iter_child_nodes(node)


def _members_of_dict(
    pairs: Iterable[tuple[ast.expr | None, ast.expr]], path: Path
) -> list[tuple[ast.AST, Path]] | None:
    """The values of a dict that may be its member; a key of None stands for ``**``."""
    found: list[tuple[ast.AST, Path]] = []
    for key, value in pairs:
        if key is None:
            found.append((value, path))
        elif path[0] is None or not isinstance(key, ast.Constant) or key.value == path[0]:
            found.append((value, path[1:]))
    return found or None


def _step(key: ast.expr | None) -> Step:
    """The step that a key in brackets means; None for one that is computed."""
    is_known = isinstance(key, ast.Constant) and isinstance(key.value, int | str)
    return key.value if is_known else None  # type: ignore[union-attr]


def _is_hidden(call: ast.Call) -> bool:
    """Whether a call gives arguments that are not visible."""
    return any(isinstance(one, ast.Starred) for one in call.args) or any(
        one.arg is None for one in call.keywords
    )


def _assigned(source: Source, target: ast.expr) -> tuple[ast.expr, Path] | None:
    """What an assignment gives to a target, which may be a part of a tuple."""
    path: list[Step] = []
    node: ast.AST = target
    while True:
        parent = source.names.parents[node]
        match parent:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                index = elements.index(node)  # type: ignore[arg-type]
                after_star = any(isinstance(one, ast.Starred) for one in elements[:index])
                path.insert(0, None if after_star else index)
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
