"""Reaching definitions: which bindings of a name may hold where the name is read.

Walks backward from a read through the statements of its scope, until a binding is certain. For
statements that are not told apart here, every binding in them may hold, and every one before them.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pedl2det.analysis.bindings import COMPREHENSIONS

#: What may hold at a place of what is bound before it, and whether older bindings may hold too.
Held = tuple[set[ast.AST], bool]
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_BLOCKS = ("body", "orelse", "finalbody")
_Try = ast.Try | ast.TryStar


class Reaching:
    """The bindings of one name in one scope.

    Args:
        scope: a module, function, lambda or class.
        nodes: the places that bind the name in the scope.
        parents: the parent of every node.
    """

    def __init__(
        self, scope: ast.AST, nodes: Iterable[ast.AST], parents: Mapping[ast.AST, ast.AST]
    ) -> None:
        self._scope, self._parents = scope, parents
        #: The bindings in each node around one, itself included.
        self._within: dict[ast.AST, set[ast.AST]] = defaultdict(set)
        for node in nodes:
            here = node
            while here is not scope:
                self._within[here].add(node)
                here = parents[here]

    def at(self, read: ast.AST) -> set[ast.AST]:
        """The bindings that may hold where the name is read."""
        found: set[ast.AST] = set()
        child = read
        while child is not self._scope:
            parent = self._parents[child]
            passes = True
            if isinstance(parent, ast.stmt | ast.match_case | ast.ExceptHandler | ast.Module):
                held, passes = self._before(child, parent)
                found |= held
            if not passes:
                return found
            child = parent
        return found | {one for one in self._within if isinstance(one, ast.arg)}

    def _before(self, child: ast.AST, parent: ast.AST) -> Held:
        """What may hold where a part of a statement, or a statement of its blocks, begins."""
        for field in _BLOCKS:
            block = getattr(parent, field, ())
            if isinstance(block, list) and child in block:
                held, passes = self._after(block[: block.index(child)])
                if not passes:
                    return held, False
                outer, passes = self._entering(parent, field)
                return held | outer, passes
        held = {one for one in self._in(child) if isinstance(self._parents[one], ast.NamedExpr)}
        match parent:
            case ast.While(body=body):
                held |= self._round(parent, body)
            case ast.With() | ast.AsyncWith():
                held |= self._in(*parent.items)
            case ast.Try() | ast.TryStar():  # a handler: an exception may come at any statement
                held |= self._in(*parent.body)
            case ast.Match() | ast.match_case():
                held |= self._in(parent)
        return held, True

    def _entering(self, parent: ast.AST, field: str) -> Held:
        """What may hold where a block of a statement begins."""
        match parent:
            case ast.Module() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return set(), True
            case ast.If(test=test):
                return self._in(test), not self._is_certain(test)
            case ast.For(target=target) | ast.AsyncFor(target=target) if field == "body":
                own = self._in(target)
                return (own, False) if own else (self._round(parent, parent.body), True)
            case ast.While(test=test) if field == "body":
                return self._in(test) | self._round(parent, parent.body), True
            case ast.With() | ast.AsyncWith():
                items = self._in(*parent.items)
                return items, not items
            case ast.ExceptHandler():
                own = self._in(parent) & {parent}
                return own, not own
            case ast.Try() | ast.TryStar() if field == "body":
                return set(), True
            case ast.Try() | ast.TryStar() if field == "orelse":
                return self._after(parent.body)
        return self._in(parent), True

    def _after(self, statements: Sequence[ast.stmt]) -> Held:
        """What may hold after some statements."""
        found: set[ast.AST] = set()
        for statement in reversed(statements):
            if isinstance(statement, _LEAVING):
                return found, False
            if statement in self._within:
                held, passes = self._through(statement)
                found |= held
                if not passes:
                    return found, False
        return found, True

    def _through(self, node: ast.stmt) -> Held:
        """What may hold after a statement that binds the name."""
        match node:
            case ast.If(test=test):
                held, passes = self._after(node.body)
                other, passes_other = self._after(node.orelse)
                passes = passes or passes_other
                return held | other | self._in(test), passes and not self._is_certain(test)
            case ast.With() | ast.AsyncWith() if not any(map(_suppresses, node.items)):
                held, passes = self._after(node.body)
                items = self._in(*node.items) if passes else set()
                return held | items, passes and not items
            case ast.Try() | ast.TryStar():
                return self._through_try(node)
            case ast.For() | ast.AsyncFor() | ast.While():
                inner = self._in(*node.body) - self._round(node, node.body)
                return self._in(node) - inner, True
            case ast.AugAssign(target=target) if target in self._within:
                return self._in(node), True
            case ast.With() | ast.AsyncWith() | ast.Match():
                return self._in(node), True
        return self._in(node), not self._is_certain(node)

    def _through_try(self, node: _Try) -> Held:
        held, passes = self._after([*node.body, *node.orelse])
        for handler in node.handlers:
            handled, handler_passes = self._after(handler.body)
            held |= handled
            if handler_passes:
                held |= self._in(*node.body) | ({handler} & self._in(handler))
                passes = True
        final, final_passes = self._after(node.finalbody)
        return (held | final, passes) if final_passes else (final, False)

    def _round(self, loop: ast.AST, body: Sequence[ast.stmt]) -> set[ast.AST]:
        """What may hold where the body of a loop begins again."""
        jumps = any(isinstance(one, ast.Break | ast.Continue) for one in ast.walk(loop))
        return self._in(*body) if jumps else self._after(body)[0]

    def _in(self, *nodes: ast.AST) -> set[ast.AST]:
        """The bindings in some nodes."""
        return set().union(*(self._within.get(node, ()) for node in nodes))

    def _is_certain(self, node: ast.AST) -> bool:
        """Whether an expression or a plain statement binds the name whenever it runs."""
        return any(self._always_runs(binding, node) for binding in self._in(node))

    def _always_runs(self, part: ast.AST, node: ast.AST) -> bool:
        while part is not node:
            part = self._parents[part]
            if isinstance(part, (ast.BoolOp, ast.IfExp, *COMPREHENSIONS)):
                return False
        return True


def _suppresses(item: ast.withitem) -> bool:
    """Whether a context manager ends its block at an exception, and the code after it runs."""
    return isinstance(item.context_expr, ast.Call) and ast.unparse(item.context_expr.func).endswith(
        "suppress"
    )
