"""Scopes and bindings, and which bindings may reach a read of a name."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Scope = (
    ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | Comprehension
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (ast.Module, ast.ClassDef, *FUNCTIONS, *COMPREHENSIONS)
#: The nodes that bind a name, and the field that holds it; also names that are only read.
NAMING = {
    ast.Name: "id",
    ast.arg: "arg",
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), "name"),
    **dict.fromkeys((ast.ExceptHandler, ast.MatchAs, ast.MatchStar), "name"),
    ast.MatchMapping: "rest",
}

#: The conditions of main guards.
MAIN_GUARDS = ("__name__ == '__main__'", "'__main__' == __name__")
#: One step into a value: an index, a key, or None for any member.
Step = int | str | None
Path = tuple[Step, ...]


@dataclass(frozen=True)
class Binding:
    """One place where a name or an attribute gets a value."""

    node: ast.AST  #: the place: a target, a parameter, an import alias, a definition
    value: ast.expr | None = None  #: the expression that it is bound to, if there is one
    path: Path = ()  #: the member of ``value`` that is bound, for unpacking and loops
    augmented: bool = False  #: whether the new value depends on the old one (``x += y``)


def name_of(node: ast.AST) -> str | None:
    """The name that a node binds or reads."""
    if isinstance(node, ast.alias):
        return node.asname or node.name.partition(".")[0]
    field = NAMING.get(type(node))
    return getattr(node, field) if field else None


def binding_of(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> Binding | None:
    """The binding at a place; None if there is none, as in ``del x`` or ``x: int``."""
    if isinstance(getattr(node, "ctx", None), ast.Del):
        return None
    if not isinstance(node, ast.Name | ast.Attribute):
        return Binding(node)
    path: Path = ()
    child: ast.AST = node
    while True:
        parent = parents[child]
        match parent:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                index = elements.index(child)  # type: ignore[arg-type]
                is_open = any(isinstance(element, ast.Starred) for element in elements[: index + 1])
                path = (None if is_open else index, *path)
            case ast.Starred():
                pass
            case ast.Assign(value=value) | ast.NamedExpr(value=value):
                return Binding(node, value, path)
            case ast.AnnAssign(value=value):
                return Binding(node, value) if value is not None else None
            case ast.AugAssign(value=value):
                return Binding(node, value, augmented=True)
            case ast.For(iter=value) | ast.AsyncFor(iter=value) | ast.comprehension(iter=value):
                return Binding(node, value, (None, *path))
            case ast.withitem(context_expr=value):
                return Binding(node, value, path)
            case _:
                return Binding(node)
        child = parent


def imported_as(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """The dotted name that an import refers to, with the leading dots of a relative import."""
    if isinstance(node, ast.Import):
        return alias.name
    dotted = "." * node.level + (node.module or "")
    return f"{dotted}{'' if dotted.endswith('.') else '.'}{alias.name}"


def is_inside(child: ast.AST, function: ast.AST) -> bool:
    """Whether a child of a function is evaluated in the scope of the function."""
    if isinstance(function, ast.Lambda):
        return child is function.body
    assert isinstance(function, Function)
    return child in function.body


def run_at_once(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that may run when a node runs: all but the bodies of functions in it."""
    stack = [node]
    while stack:
        part = stack.pop()
        yield part
        if isinstance(part, Function):
            stack += [*part.decorator_list, part.args, *filter(None, [part.returns])]
        else:
            stack += ast.iter_child_nodes(part)


#: The bindings that may reach a place, and whether earlier ones may reach it too.
_Reached = tuple[set[ast.AST], bool]
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_BLOCKS = ("body", "orelse", "finalbody")
#: Statements, and parts of them, in which a binding may also reach earlier places.
_LOOSE = (
    *(ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith),
    *(ast.Try, ast.TryStar, ast.ExceptHandler, ast.Match, ast.match_case),
)


class Reaching:
    """The reaching definitions of one name in one scope.

    Walks backward from a read through the statements of its scope, until a binding is certain. Only
    blocks and branches are distinguished: any binding in a loop, ``with``, ``try`` or ``match`` may
    reach the read, and so may those before it. The answer may have too many bindings, never too
    few.
    """

    def __init__(
        self, scope: ast.AST, nodes: Iterable[ast.AST], parents: Mapping[ast.AST, ast.AST]
    ) -> None:
        self._scope, self._parents = scope, parents
        #: For each node, the bindings in it.
        self._within: dict[ast.AST, set[ast.AST]] = defaultdict(set)
        for node in nodes:
            outer = node
            while outer is not scope:
                self._within[outer].add(node)
                outer = parents[outer]

    def at(self, read: ast.AST) -> set[ast.AST]:
        """The bindings that may reach a read of the name."""
        bindings: set[ast.AST] = set()
        child = read
        while child is not self._scope:
            parent = self._parents[child]
            blocks = (getattr(parent, name, None) for name in _BLOCKS)
            block = next(
                (body for body in blocks if isinstance(body, list) and child in body), None
            )
            if block is not None:
                reaching, passes = self._after(block[: block.index(child)])
                bindings |= reaching
                if not passes:
                    return bindings
            if isinstance(parent, _LOOSE):
                bindings |= self._in(parent)
                match parent:  # a loop's target is bound before its body
                    case ast.For() | ast.AsyncFor() if child in parent.body:
                        if self._in(parent.target):
                            return bindings
            elif isinstance(parent, ast.If) and block is not None:
                bindings |= self._in(parent.test)
            elif block is None and isinstance(parent, ast.stmt):
                parents = {binding: self._parents[binding] for binding in self._in(child)}
                bindings |= {
                    binding for binding in parents if isinstance(parents[binding], ast.NamedExpr)
                }
            child = parent
        return bindings | {binding for binding in self._within if isinstance(binding, ast.arg)}

    def _after(self, statements: Sequence[ast.AST]) -> _Reached:
        """The bindings that may reach the end of some statements."""
        bindings: set[ast.AST] = set()
        for statement in reversed(statements):
            if isinstance(statement, _LEAVING):
                return bindings, False
            if statement in self._within:
                reaching, passes = self._through(statement)
                bindings |= reaching
                if not passes:
                    return bindings, False
        return bindings, True

    def _through(self, node: ast.AST) -> _Reached:
        """The bindings that may reach the end of a statement that binds the name."""
        match node:
            case ast.If(test=test):
                reaching, passes = self._after(node.body)
                other, passes_other = self._after(node.orelse)
                return reaching | other | self._in(test), passes or passes_other
            case ast.AugAssign(target=target) if target in self._within:
                return self._in(node), True
        is_certain = not isinstance(node, _LOOSE) and any(
            not isinstance(self._parents[binding], ast.NamedExpr) for binding in self._in(node)
        )
        return self._in(node), not is_certain

    def _in(self, node: ast.AST) -> set[ast.AST]:
        return self._within.get(node, set())
