"""Reaching definitions: which bindings of a name may hold where the name is read.

Walks backward from a read through the statements of its scope, until a binding is certain. Only
blocks and branches are told apart; of a loop, ``with``, ``try`` or ``match`` every binding may
hold, and every one before it. So the answer is never too short.
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
#: Statements, and their parts, in which a binding may hold before or after its place.
_LOOSE = (
    *(ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith),
    *(ast.Try, ast.TryStar, ast.ExceptHandler, ast.Match, ast.match_case),
)


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
            block = next((one for name in _BLOCKS if child in (one := _block(parent, name))), None)
            if block is not None:
                held, passes = self._after(block[: block.index(child)])
                found |= held
                if not passes:
                    return found
            if isinstance(parent, _LOOSE):
                found |= self._in(parent)
                if child in _block(parent, "body") and self._in(*_targets(parent)):
                    return found  # a loop's target is bound before its body
            elif isinstance(parent, ast.If) and block is not None:
                found |= self._in(parent.test)
            elif block is None and isinstance(parent, ast.stmt):
                parents = {one: self._parents[one] for one in self._in(child)}
                found |= {one for one in parents if isinstance(parents[one], ast.NamedExpr)}
            child = parent
        return found | {one for one in self._within if isinstance(one, ast.arg)}

    def _after(self, statements: Sequence[ast.AST]) -> Held:
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

    def _through(self, node: ast.AST) -> Held:
        """What may hold after a statement that binds the name."""
        match node:
            case ast.If(test=test):
                held, passes = self._after(node.body)
                other, passes_other = self._after(node.orelse)
                return held | other | self._in(test), passes or passes_other
            case ast.AugAssign(target=target) if target in self._within:
                return self._in(node), True
        is_certain = not isinstance(node, _LOOSE) and any(
            self._always_runs(one, node) for one in self._in(node)
        )
        return self._in(node), not is_certain

    def _in(self, *nodes: ast.AST) -> set[ast.AST]:
        """The bindings in some nodes."""
        return set().union(*(self._within.get(node, ()) for node in nodes))

    def _always_runs(self, part: ast.AST, statement: ast.AST) -> bool:
        while part is not statement:
            part = self._parents[part]
            if isinstance(part, (ast.BoolOp, ast.IfExp, *COMPREHENSIONS)):
                return False
        return True


def _block(node: ast.AST, name: str) -> Sequence[ast.AST]:
    block = getattr(node, name, ())
    return block if isinstance(block, list) else ()


def _targets(node: ast.AST) -> list[ast.expr]:
    return [node.target] if isinstance(node, ast.For | ast.AsyncFor) else []
