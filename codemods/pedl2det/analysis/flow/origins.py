"""Backward through a project: where a value comes from."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterator

from pedl2det.analysis.bindings import FUNCTIONS, Binding, Path
from pedl2det.analysis.flow import members
from pedl2det.analysis.flow.functions import Functions
from pedl2det.analysis.flow.signatures import (
    argument_for,
    default_of,
    has_hidden_arguments,
)
from pedl2det.analysis.flow.values import Call, Origin, Place

#: How many members deep a value is followed, and how many steps far.
LONGEST, FARTHEST = 5, 2_000


class Origins(Functions):
    """Where the values of one project come from."""

    @abstractmethod
    def calls(self, function: ast.AST) -> list[Call]:
        """The calls of a function in the project."""

    @abstractmethod
    def _sees_calls(self, function: ast.AST) -> bool:
        """Whether every call of a function is seen, so that its parameters can be followed."""

    @abstractmethod
    def _is_changed(self, node: ast.expr) -> bool:
        """Whether the members of a list or dict may be changed after it was made."""

    def origins(self, node: ast.AST, path: Path = ()) -> list[Origin]:
        """Every place where the value of an expression, or a member of it, may come from."""
        found: dict[Origin, None] = {}
        waiting: list[Place] = [(node, path)]
        seen: set[Place] = set()
        while waiting:
            here = waiting.pop()
            if here in seen:
                continue
            seen.add(here)
            is_near = len(here[1]) <= LONGEST and len(seen) <= FARTHEST
            steps = self._back(*here) if is_near else []
            waiting += reversed(steps)
            if not steps:
                found[Origin(*here)] = None
        return list(found) or [Origin(node, path)]  # it comes from itself alone

    def members(self, node: ast.AST) -> Iterator[ast.AST]:
        """The origins of a value and of all members of its lists, tuples and dicts."""
        waiting: list[ast.AST] = [node]
        seen: set[ast.AST] = set()
        while waiting:
            for one in self.origins(waiting.pop()):
                if one.node in seen:
                    continue
                seen.add(one.node)
                yield one.node
                match one.node:
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
                return [(value, (members.step_of(key), *path))]
        return self._back_from_display(node, path) if path else []

    def _back_from_display(self, node: ast.AST, path: Path) -> list[Place]:
        """The members of a tuple, list or dict that is written out."""
        match node:
            case ast.Tuple(elts=elements):
                return members.of_elements(elements, path)
            case ast.GeneratorExp(elt=element):
                return [(element, path[1:])]
            case ast.List() | ast.Dict() | ast.ListComp() | ast.DictComp():
                if self._is_changed(node):
                    return []
        match node:
            case ast.List(elts=elements):
                return members.of_elements(elements, path)
            case ast.Dict(keys=keys, values=values):
                return members.of_dict(zip(keys, values, strict=True), path)
            case ast.ListComp(elt=value) | ast.DictComp(value=value):
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
            if isinstance(binding.node, ast.alias):  # one of several; else it was followed
                values.append((binding.node, ()))
                continue
            found = self._bound([binding])
            if found is None:
                return []
            values += found
        return values

    def _back_from_call(self, node: ast.Call, path: Path) -> list[Place]:
        if path and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
            if self._is_changed(node):
                return []
            given = [
                (ast.Constant(one.arg) if one.arg else None, one.value) for one in node.keywords
            ]
            return members.of_dict(given, path)
        steps: list[Place] = []
        for function in self.called(node):
            returned = self.returned(function)
            if not returned or not self.returns_plainly(function):
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
                value = default_of(function, node)
            if value is None:
                return []
            steps.append((value, path))
        return steps


def _within(values: list[Place], path: Path) -> list[Place]:
    """The members of some values at a path."""
    return [(value, (*inner, *path)) for value, inner in values]
