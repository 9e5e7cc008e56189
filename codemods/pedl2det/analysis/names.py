"""What the names of a file mean: scopes, and the dotted names that imports give.

Only as much of Python's scoping as a migration needs; where a name could mean two things, it says
so instead of choosing.
"""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, TypeVar, overload

from pedl2det.analysis.scopes import (
    BINDERS,
    COMPREHENSIONS,
    FUNCTIONS,
    SCOPES,
    Scope,
    imported_as,
    is_inside,
    is_of_scope,
    names_in,
)
from pedl2det_names import PUBLIC, is_legacy, lookup

Node = TypeVar("Node", bound=ast.AST)
Other = TypeVar("Other", bound=ast.AST)
#: What has no place in a text: ``Load``, ``Add``; the parser gives one object for all of a kind.
_BARE = frozenset(
    kind
    for base in (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
    for kind in base.__subclasses__()
)


def _today(dotted: str) -> str:
    """The name of today of what only moved; any other name as it is."""
    row = lookup(dotted)
    return row.new if row is not None and row.new and row.same and not row.changed else dotted


class Names:
    """The names of one file.

    Args:
        tree: its syntax tree.

    Attributes:
        stars: the libraries' modules of which everything is imported.
        parents: the parent of every node.
        nodes: every node that has a place, in the order of the text: each before what is in it.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self._follow: Callable[[str], str] = lambda dotted: dotted
        self.stars: list[str] = []
        self.parents: dict[ast.AST, ast.AST] = {}
        self.nodes: list[ast.AST] = []
        # For each scope and name, everything that binds it: an imported dotted name, or None.
        self._bound: dict[Scope, dict[str, list[str | None]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._of: dict[tuple[type[ast.AST], ...], list[Any]] = {}
        # Every rule asks the same of the same names.
        self._binders: dict[ast.Name, Scope | None] = {}
        #: The scopes that declare a name ``global`` or ``nonlocal``, and with which of these.
        self._declared: dict[tuple[Scope, str], type[ast.AST]] = {}
        self._qualified: dict[ast.AST, str | None] = {}
        self._read(tree)
        self._pass_guards()
        self._follow_aliases()

    @overload
    def of(self, kind: type[Node], /) -> list[Node]: ...

    @overload
    def of(self, one: type[Node], other: type[Other], /) -> list[Node | Other]: ...

    @overload
    def of(self, *kinds: type[ast.AST]) -> list[ast.AST]: ...

    def of(self, *kinds: type[ast.AST]) -> list[Any]:
        """The nodes of some kinds, in the order of the text."""
        if kinds not in self._of:
            self._of[kinds] = [node for node in self.nodes if type(node) in kinds]
        return self._of[kinds]

    def below(self, root: ast.AST) -> list[ast.AST]:
        """A node and all that is in it, in the order of the text."""
        start, end = self._extents[root]
        return self.nodes[start:end]

    @cached_property
    def _extents(self) -> dict[ast.AST, tuple[int, int]]:
        """Where among the nodes each one stands, and where that ends which is in it."""
        ends: dict[ast.AST, int] = {}
        extents = {}
        for index in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[index]
            end = ends.get(node, index + 1)
            extents[node] = (index, end)
            if node in self.parents:
                ends.setdefault(self.parents[node], end)
        return extents

    def follow(self, dotted: str) -> str:
        """Where a dotted name, as an import gives it, is defined."""
        return self._follow(dotted)

    def link(self, follow: Callable[[str], str]) -> None:
        """Have dotted names mean what they mean in other files."""
        self._follow = follow
        self._qualified.clear()

    def qualified(self, node: ast.AST) -> str | None:
        """The dotted name that an expression means through imports, if it has one meaning."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        if node not in self._qualified:
            meanings = list(dict.fromkeys(self.meanings(node)))
            today = {_today(one) if one is not None else None for one in meanings}
            # Two imports of one thing, such as `backend` of Keras and of TensorFlow, are one.
            old = [one for one in meanings if one not in today]
            self._qualified[node] = [*old, *meanings][0] if len(today) == 1 else None
        return self._qualified[node]

    def meanings(self, node: ast.AST) -> list[str | None]:
        """Every meaning that an expression may have; None stands for one not from an import."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return [None]
        bindings = self.bindings(node)
        return [
            self.follow(".".join([meaning, *reversed(attributes)])) if meaning is not None else None
            for meaning in bindings
        ] or [None]

    def bindings(self, node: ast.Name) -> list[str | None]:
        """What binds a name where it stands, in the innermost scope that does.

        A name that nothing binds comes from a library's ``import *``, if there is just one; of
        several, from the last one of Keras that publishes it.
        """
        scope = self.binder(node)
        if scope is not None:
            return self._bound[scope][node.id]
        if len(set(self.stars)) == 1 and not hasattr(builtins, node.id):
            return [f"{self.stars[0]}.{node.id}"]
        publishing = [one for one in self.stars if _publishes(one, node.id)]
        return [f"{publishing[-1]}.{node.id}"] if publishing else []

    def binder(self, node: ast.Name) -> Scope | None:
        """The innermost scope that binds a name where it stands."""
        if node not in self._binders:
            self._binders[node] = self.binder_at(node, node.id)
        return self._binders[node]

    def binder_at(self, place: ast.AST, name: str) -> Scope | None:
        """The innermost scope that binds a name which would stand at a place."""
        for scope in self._scopes_of(place):
            declared = self._declared.get((scope, name))
            if declared is ast.Global:
                return self.tree
            if declared is None and name in self._bound[scope]:
                return scope
        return None

    def module_bindings(self, name: str) -> list[str | None]:
        """What binds a name in the module's own scope."""
        return self._bound[self.tree].get(name, [])

    def module_names(self) -> list[str]:
        """The names that the module's own scope binds."""
        return list(self._bound[self.tree])

    def is_hidden(self, name: str, dotted: str) -> bool:
        """Whether a function or class of the file has something else under a name."""
        return any(
            set(bound[name]) != {dotted}
            for scope, bound in self._bound.items()
            if scope is not self.tree and bound.get(name)
        )

    def bind(self, name: str, dotted: str) -> None:
        """Have a name of the module's own scope mean a dotted name, if nothing else binds it."""
        bound = self._bound[self.tree][name]
        if not bound:
            bound.append(dotted)
            self._binders.clear()
            self._qualified.clear()

    def uses_name(self, root: ast.AST, name: str) -> bool:
        """Whether a name stands anywhere below a node, bound or read."""
        return any(
            name in names_in(node)
            for node in self.below(root)
            if node is not root or not isinstance(node, ast.FunctionDef | ast.ClassDef)
        )

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What is around a node, from the inside out."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def function_of(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The outermost function around a node: a function of the module or a method."""
        functions = [
            one
            for one in self.around(node)
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        return functions[-1] if functions else None

    def definition_around(self, node: ast.AST) -> ast.AST | None:
        """The innermost function, lambda or class around a node."""
        found = (one for one in self.around(node) if isinstance(one, (*FUNCTIONS, ast.ClassDef)))
        return next(found, None)

    def annotation_around(self, node: ast.AST) -> ast.expr | None:
        """The whole annotation that a node is a part of."""
        child = node
        for parent in self.around(node):
            if child in (getattr(parent, "annotation", None), getattr(parent, "returns", None)):
                return child  # type: ignore[return-value]
            if isinstance(parent, ast.stmt):
                return None
            child = parent
        return None

    def class_around(self, node: ast.AST) -> ast.ClassDef | None:
        """The innermost class around a node."""
        return next((one for one in self.around(node) if isinstance(one, ast.ClassDef)), None)

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement around a node."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def _scopes_of(self, node: ast.AST) -> Iterator[Scope]:
        inner = True
        while node in self.parents:
            child, node = node, self.parents[node]
            if isinstance(node, FUNCTIONS) and not is_inside(child, node):
                continue  # decorators, defaults and annotations belong to the scope around
            if isinstance(node, ast.ClassDef) and (not inner or child not in node.body):
                continue  # methods do not see the names of their class
            if isinstance(node, SCOPES):
                yield node
                inner = False

    def _follow_aliases(self) -> None:
        """``k = tf.keras`` in the module's own scope means what it was given, if that is all."""
        for statement in self.tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name() | ast.Attribute()):
                    meaning = self.qualified(statement.value)
                    if meaning is not None and self._bound[self.tree][name] == [None]:
                        self._bound[self.tree][name][:] = [meaning]
                        self._qualified.clear()

    def _pass_guards(self) -> None:
        """``try: import pedl``, ``except ImportError: pedl = None``: pedl was always there."""
        for guard in self.of(ast.Try):
            for statement in guard.body:
                for local, dotted in _harness_imports(statement):
                    scope: Any = self.definition_around(guard) or self.tree
                    bound = self._bound[scope][local]
                    others = [
                        node
                        for handler in guard.handlers
                        for node in self.below(handler)
                        if local in _bound_by(node)
                    ]
                    if len(bound) == 1 + len(others):
                        bound[:] = [dotted]

    def _read(self, tree: ast.Module) -> None:
        """Take every node in, without recursion: a long sum nests deeper than Python calls."""
        waiting: list[tuple[ast.AST, Scope]] = [(tree, tree)]
        while waiting:
            node, scope = waiting.pop()
            self.nodes.append(node)
            if type(node) in BINDERS:
                self._bind(node, scope)
            is_scope = isinstance(node, SCOPES)
            for child in reversed(_children(node)):
                self.parents[child] = node
                inner = is_scope and is_of_scope(child, node)
                waiting.append((child, node if inner else scope))  # type: ignore[arg-type]

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        bound = self._bound[scope]
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    name = alias.asname or alias.name.partition(".")[0]
                    bound[name].append(alias.name if alias.asname else name)
            case ast.ImportFrom(names=aliases):
                for alias in aliases:
                    bound[alias.asname or alias.name].append(imported_as(node, alias))
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                bound[name].append(None)
            case ast.arg(arg=name):
                bound[name].append(None)
            case ast.ExceptHandler(name=str(name)):
                bound[name].append(None)
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                bound[name].append(None)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                bound[name].append(None)
            case ast.MatchMapping(rest=str(name)):
                bound[name].append(None)
            case ast.NamedExpr(target=ast.Name(id=name)):
                self._bound[self._around_comprehensions(node)][name].append(None)
            case ast.Global(names=names):
                for name in names:  # one list: what is bound here is bound in the module
                    bound[name] = self._bound[self.tree][name]
                    self._declared[scope, name] = ast.Global
            case ast.Nonlocal(names=names):
                for name in names:
                    bound[name].append(None)
                    self._declared[scope, name] = ast.Nonlocal

    def _around_comprehensions(self, node: ast.AST) -> Scope:
        """The scope in which ``:=`` binds."""
        scopes = self._scopes_of(node)
        return next(scope for scope in scopes if not isinstance(scope, COMPREHENSIONS))


def _children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one that have a place; ``ast.iter_child_nodes`` takes twice as long."""
    found: list[ast.AST] = []
    for field in node._fields:
        value = getattr(node, field, None)
        if type(value) is list:
            found += [one for one in value if isinstance(one, ast.AST) and type(one) not in _BARE]
        elif isinstance(value, ast.AST) and type(value) not in _BARE:
            found.append(value)
    return found


def _harness_imports(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """The local names that a statement imports from PEDL or Determined, and what they mean."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if is_legacy(alias.name):
                local = alias.asname or alias.name.partition(".")[0]
                yield local, alias.name if alias.asname else local
    elif isinstance(statement, ast.ImportFrom):
        for alias in statement.names:
            dotted = imported_as(statement, alias)
            if is_legacy(dotted):
                yield alias.asname or alias.name, dotted


def _bound_by(node: ast.AST) -> list[str]:
    """The names that an import or an assignment binds."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [one.asname or one.name.partition(".")[0] for one in node.names]
    is_target = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    return [node.id] if is_target and isinstance(node, ast.Name) else []


def _publishes(module: str, name: str) -> bool:
    """Whether a module of Keras or of a harness has a name, as far as the table of names knows."""
    if is_legacy(module) and lookup(f"{module}.{name}") is not None:
        return True
    head, keras, path = module.rpartition("keras.")
    if not keras:
        path = "" if module.rpartition(".")[2] == "keras" else "?"
    return head in ("", "tensorflow.", "tensorflow.python.") and name in PUBLIC.get(path, ())
