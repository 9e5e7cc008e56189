"""Forward through a project: where a value goes."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterator

from pedl2det.analysis.bindings import FUNCTIONS, Path
from pedl2det.analysis.flow.origins import FARTHEST, LONGEST, Origins
from pedl2det.analysis.flow.signatures import parameter_for
from pedl2det.analysis.flow.values import Place, Use, Way, element, step_of
from pedl2det.analysis.modules import Modules

#: A use, where a value ends, or an expression that has the value next.
Next = Use | tuple[ast.expr, Path]
#: What happens to a value in an expression or statement that it does not leave.
_WAYS = {
    **dict.fromkeys((ast.Compare, ast.FormattedValue, ast.UnaryOp, ast.IfExp), Way.TESTED),
    **dict.fromkeys((ast.While, ast.If, ast.Assert), Way.TESTED),
    **dict.fromkeys((ast.For, ast.AsyncFor, ast.comprehension), Way.ITERATED),
    **dict.fromkeys((ast.Yield, ast.YieldFrom), Way.YIELDED),
}


class Uses(Origins):
    """Where the values of one project go.

    Args:
        modules: its files.
        entries: functions whose returned values leave the project, such as the data loaders.
    """

    def __init__(self, modules: Modules, entries: frozenset[ast.AST]) -> None:
        super().__init__(modules)
        self._entries = entries

    @abstractmethod
    def escapes(self, function: ast.AST) -> bool:
        """Whether a function may be called in ways that are not seen."""

    def uses(self, node: ast.expr, path: Path = ()) -> list[Use]:
        """Every place to which the value of an expression may go."""
        found: dict[Use, None] = {}
        waiting = [(node, path)]
        seen: set[Place] = set()
        while waiting:
            here = waiting.pop()
            if here in seen:
                continue
            seen.add(here)
            is_near = len(here[1]) <= LONGEST and len(seen) <= FARTHEST
            ends = [Use(Way.OTHER, here[0], *here)]
            for one in self._forward(*here) if is_near else ends:
                if isinstance(one, Use):
                    found[one] = None
                else:
                    waiting.append(one)
        return list(found)

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
                yield Use(_WAYS.get(type(parent), Way.OTHER), node, parent, path)

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
        """The expressions that read what a target was given."""
        match target:
            case ast.Name():
                for read in (*self.reads_of(target), *self.member_reads(target)):
                    yield read, path
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                index = element(elements, path[0]) if path else None
                for one in elements if index is None else [elements[index]]:
                    yield from self._into(one, path[1:])
            case ast.Starred(value=inner):
                yield from self._into(inner, path)
            case ast.Attribute():
                for read in self.attribute_reads(target):
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
            filled = [parameter_for(self.call_of(call, one), one, node) for one in functions]
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
        if not isinstance(function, FUNCTIONS):
            yield Use(Way.OTHER, node, parent, path)
            return
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
