"""What the names of a file mean: scopes, and the dotted names that imports give.

Only as much of Python's scoping as a migration needs; where a name could mean two things, it says
so instead of choosing.
"""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, TypeVar, overload

from pedl2det.analysis.bindings import (
    COMPREHENSIONS,
    FUNCTIONS,
    NAMING,
    SCOPES,
    Binding,
    Function,
    Reaching,
    Scope,
    binding_of,
    imported_as,
    is_inside,
    name_of,
)
from pedl2det_names import is_legacy, lookup
from pedl2det_names.keras import PUBLIC, old_path

Node = TypeVar("Node", bound=ast.AST)
Other = TypeVar("Other", bound=ast.AST)
#: Nodes without a place, such as ``Load``: the parser uses one object for all of a kind.
_BARE = frozenset(
    kind
    for base in (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
    for kind in base.__subclasses__()
)

_BINDERS = {*NAMING, ast.alias, ast.Global, ast.Nonlocal}
_SCOPES = frozenset(SCOPES)


def _today(dotted: str) -> tuple[str, frozenset[tuple[str, str]]]:
    """What computes the same today: a name, and the defaults that it had."""
    row = lookup(dotted)
    if row is not None and row.support is not None:
        return f"legacy_keras.{row.support}", frozenset()
    if row is not None and row.new is None and (split := old_path(dotted)):
        return f"any Keras: {split[1]}", frozenset()
    if row is None:
        return dotted, frozenset()
    return (row.same and row.new) or dotted, frozenset(row.defaults.items())


def one_meaning(meanings: Iterable[str | None]) -> str | None:
    """Return the meaning that all imports of a name share today; None if they differ.

    It is given by an old name if there is one.
    """
    distinct = list(dict.fromkeys(meanings))
    today = {_today(meaning) if meaning is not None else None for meaning in distinct}
    names = {pair[0] for pair in today if pair is not None}
    old = [meaning for meaning in distinct if meaning is not None and meaning not in names]
    # Prefer standalone Keras, as libraries of the time did.
    old.sort(key=lambda meaning: not meaning.startswith("keras"))
    return [*old, *distinct][0] if len(today) == 1 else None


class Names:
    """The names of one file."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        #: Resolves the dotted name of an import to where it is defined.
        self.follow: Callable[[str], str] = lambda dotted: dotted
        #: The modules of libraries that are imported with ``*``.
        self.stars: list[str] = []
        #: The parent of every node.
        self.parents: dict[ast.AST, ast.AST] = {}
        #: Every node that has a place, in the order of the text, outer nodes first.
        self.nodes: list[ast.AST] = []
        #: The scope that each node is evaluated in.
        self._scope: dict[ast.AST, Scope] = {}
        #: For each scope and name, every node that binds it.
        self._bound: dict[Scope, dict[str, list[ast.AST]]] = defaultdict(lambda: defaultdict(list))
        #: Names with a known meaning: of guarded imports, aliases and ``import *``.
        self._known: dict[tuple[Scope, str], str] = {}
        #: The declarations of names in scopes: ``ast.Global`` or ``ast.Nonlocal``.
        self._declared: dict[tuple[Scope, str], type[ast.AST]] = {}
        #: The bindings of names that the function around them declares ``global`` or ``nonlocal``.
        self._remote: set[ast.AST] = set()
        self._of: dict[tuple[type[ast.AST], ...], list[Any]] = {}
        # Answers so far, because every rule asks about the same names.
        self._qualified: dict[ast.AST, str | None] = {}
        self._bindings: dict[ast.Name, list[Binding]] = {}
        self._reaching: dict[tuple[Scope, str], Reaching] = {}
        self._read(tree)
        self._resolve_guards()
        self._follow_aliases()

    @overload
    def of(self, kind: type[Node], /) -> list[Node]: ...

    @overload
    def of(self, kind: type[Node], other: type[Other], /) -> list[Node | Other]: ...

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
        """The index of each node, and the index after the last node in it."""
        ends: dict[ast.AST, int] = {}
        extents = {}
        for index in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[index]
            end = ends.get(node, index + 1)
            extents[node] = (index, end)
            if node in self.parents:
                ends.setdefault(self.parents[node], end)
        return extents

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, from the inside out."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def function_of(self, node: ast.AST) -> Function | None:
        """The outermost function around a node: a function of the module or a method."""
        functions = [outer for outer in self.around(node) if isinstance(outer, Function)]
        return functions[-1] if functions else None

    def definition_around(self, node: ast.AST) -> ast.AST | None:
        """The innermost function, lambda or class around a node."""
        definitions = (
            outer for outer in self.around(node) if isinstance(outer, (*FUNCTIONS, ast.ClassDef))
        )
        return next(definitions, None)

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
        return next((outer for outer in self.around(node) if isinstance(outer, ast.ClassDef)), None)

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """The innermost statement around a node."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def link(self, follow: Callable[[str], str]) -> None:
        """Resolve dotted names through other files from now on."""
        self.follow = follow
        self._qualified.clear()

    def qualified(self, node: ast.AST) -> str | None:
        """The dotted name that an expression means through imports, if it has one meaning."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return None
        if node not in self._qualified:
            self._qualified[node] = one_meaning(self._meanings(node))
        return self._qualified[node]

    def _meanings(self, node: ast.AST) -> list[str | None]:
        """Every meaning that an expression may have; None stands for one not from an import."""
        root, attributes = root_and_attributes(node)
        if not isinstance(root, ast.Name):
            return [None]
        return [
            self.follow(".".join([meaning, *attributes])) if meaning is not None else None
            for meaning in self._imported(root)
        ] or [None]

    def _imported(self, node: ast.Name) -> list[str | None]:
        """What the innermost scope that binds a name imports it as; None for other bindings."""
        scope = self.binder(node)
        if scope is not None:
            return self._imported_in(scope, node.id)
        # It comes from the ``import *`` of a library: the only one, or the last of Keras that
        # publishes the name.
        if len(set(self.stars)) == 1 and not hasattr(builtins, node.id):
            return [f"{self.stars[0]}.{node.id}"]
        publishing = [module for module in self.stars if _publishes(module, node.id)]
        return [f"{publishing[-1]}.{node.id}"] if publishing else []

    def _imported_in(self, scope: Scope, name: str) -> list[str | None]:
        if (scope, name) in self._known:
            return [self._known[scope, name]]
        nodes = self._nodes_of(scope, name)
        if not any(isinstance(node, ast.alias) for node in nodes):
            return [None for _ in nodes]
        return [
            self.imported_as(node) if isinstance(node, ast.alias) else self._assigned(node, name)
            for node in nodes
        ]

    def _assigned(self, node: ast.AST, name: str) -> str | None:
        """What a name means after ``keras = tf.keras``, if an import binds it as well."""
        match self.parents.get(node):
            case ast.Assign(targets=[ast.Name()], value=ast.Attribute() as value):
                root, _ = root_and_attributes(value)
                return None if getattr(root, "id", name) == name else self.qualified(value)
        return None

    def imported(self) -> Iterator[str]:
        """The dotted names of all that the file imports, with the dots of relative ones."""
        for statement in self.of(ast.Import, ast.ImportFrom):
            yield from (imported_as(statement, alias) for alias in statement.names)

    def imported_as(self, alias: ast.alias) -> str:
        """The dotted name that an import binds, as the file writes it."""
        statement = self.parents[alias]
        if isinstance(statement, ast.ImportFrom):
            return imported_as(statement, alias)
        return alias.name if alias.asname else alias.name.partition(".")[0]

    def binder(self, node: ast.Name) -> Scope | None:
        """The innermost scope around a name that binds it."""
        return self.binder_at(node, node.id)

    def binder_at(self, place: ast.AST, name: str) -> Scope | None:
        """The innermost scope around a place that binds a name."""
        for scope in self._scopes_of(place):
            declared = self._declared.get((scope, name))
            if declared is ast.Global:
                return self.tree
            is_bound = name in self._bound[scope] or (scope, name) in self._known
            if declared is None and is_bound:
                binds = isinstance(getattr(place, "ctx", None), ast.Store | ast.Del)
                is_class = isinstance(scope, ast.ClassDef)
                if binds or not is_class or self._reaching_at(scope, place, name):
                    return scope  # else the class binds it below
        return None

    def _reaching_at(self, scope: Scope, place: ast.AST, name: str) -> set[ast.AST]:
        """The bindings in a scope's own statements that may reach a read of the name."""
        if (scope, name) not in self._reaching:
            nodes = [node for node in self._nodes_of(scope, name) if node not in self._remote]
            self._reaching[scope, name] = Reaching(scope, nodes, self.parents)
        return self._reaching[scope, name].at(place)

    def bound(self, scope: ast.AST, name: str) -> list[Binding]:
        """Every binding of a name in a scope, also by functions that declare it ``global``."""
        return self._as_bindings(self._nodes_of(scope, name))

    def bindings(self, name: ast.Name) -> list[Binding]:
        """The bindings that may reach a read of a name."""
        if name not in self._bindings:
            self._bindings[name] = self._find_bindings(name)
        return self._bindings[name]

    def _find_bindings(self, name: ast.Name) -> list[Binding]:
        scope = self.binder(name)
        if scope is None:
            return []
        nodes = self._nodes_of(scope, name.id)
        is_here = len(nodes) > 1 and self.scope_around(name) is scope
        if is_here and not isinstance(scope, ast.Lambda):
            reaching = self._reaching_at(scope, name, name.id)
            bindings = self._as_bindings(
                node for node in nodes if node in reaching or node in self._remote
            )
            if any(binding.node in reaching for binding in bindings):
                return bindings
        return self._as_bindings(nodes)

    def reads_of(self, target: ast.AST) -> list[ast.Name]:
        """The names that may read the value of a target or a parameter."""
        name = name_of(target) or ""
        return [
            read
            for read in self._reads_by_name.get(name, ())
            if any(binding.node is target for binding in self.bindings(read))
        ]

    @cached_property
    def _reads_by_name(self) -> dict[str, list[ast.Name]]:
        reads: dict[str, list[ast.Name]] = defaultdict(list)
        for node in self.of(ast.Name):
            if isinstance(node.ctx, ast.Load) or isinstance(self.parents[node], ast.AugAssign):
                reads[node.id].append(node)
        return reads

    def binding_of(self, node: ast.AST) -> Binding | None:
        """What a place is bound to, if it is."""
        return binding_of(node, self.parents)

    def _as_bindings(self, nodes: Iterable[ast.AST]) -> list[Binding]:
        return [binding for node in nodes if (binding := self.binding_of(node)) is not None]

    def _nodes_of(self, scope: ast.AST, name: str) -> list[ast.AST]:
        return self._bound[scope].get(name, [])  # type: ignore[index]

    def module_bindings(self, name: str) -> list[str | None]:
        """What binds a name in the module's own scope: an imported dotted name, or None."""
        return self._imported_in(self.tree, name)

    def module_names(self) -> set[str]:
        """The names that the module's own scope binds."""
        known = {name for scope, name in self._known if scope is self.tree}
        return known | self._bound[self.tree].keys()

    def is_hidden(self, name: str, dotted: str) -> bool:
        """Whether a function or class of the file binds a name to something else."""
        return any(
            set(self._imported_in(scope, name)) != {dotted}
            for scope, bound in self._bound.items()
            if scope is not self.tree and bound.get(name)
        )

    def bind(self, name: str, dotted: str) -> None:
        """Give a name of the module's own scope a meaning, if nothing else binds it."""
        if not self.module_bindings(name):
            self._known[self.tree, name] = dotted
            self._qualified.clear()

    def uses_name(self, root: ast.AST, name: str) -> bool:
        """Whether a name is bound or read anywhere in a node."""
        return any(
            name == name_of(node)
            for node in self.below(root)
            if node is not root or not isinstance(node, ast.FunctionDef | ast.ClassDef)
        )

    def scope_around(self, node: ast.AST) -> Scope:
        """The function, lambda, class or module whose statements a node belongs to."""
        scopes = self._scopes_of(node)
        return next((scope for scope in scopes if not isinstance(scope, COMPREHENSIONS)), self.tree)

    def _scopes_of(self, node: ast.AST) -> Iterator[Scope]:
        """The scopes around a node whose names it sees, from the inside out."""
        scope = self._scope[node]
        yield scope
        while scope is not self.tree:
            scope = self._scope[scope]
            if not isinstance(scope, ast.ClassDef):  # methods do not see the names of their class
                yield scope

    def _follow_aliases(self) -> None:
        """Resolve aliases such as ``k = tf.keras`` of the module's own scope, unless rebound."""
        for statement in self.tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name() | ast.Attribute()):
                    meaning = self.qualified(statement.value)
                    if meaning is not None and self.module_bindings(name) == [None]:
                        self._known[self.tree, name] = meaning
                        self._qualified.clear()

    def _resolve_guards(self) -> None:
        """Ignore the fallbacks of guarded imports, such as ``except ImportError: pedl = None``."""
        for guard in self.of(ast.Try):
            tried = {
                alias: imported_as(statement, alias)
                for statement in guard.body
                if isinstance(statement, ast.Import | ast.ImportFrom)
                for alias in statement.names
            }
            # ``run`` serves old names of Keras; a guard succeeds if it serves all that is tried.
            all_served = all(is_legacy(dotted) or _is_served(dotted) for dotted in tried.values())
            handled = {node for part in guard.handlers for node in self.below(part)}
            scope: Any = self.definition_around(guard) or self.tree
            for alias, dotted in tried.items():
                name = name_of(alias) or ""
                is_known = all_served or is_legacy(dotted)
                if is_known and handled.issuperset({*self._nodes_of(scope, name)} - {alias}):
                    self._known[scope, name] = self.imported_as(alias)

    def _read(self, tree: ast.Module) -> None:
        """Record every node, without recursion: a long sum nests deeper than Python's stack."""
        waiting: list[tuple[ast.AST, Scope]] = [(tree, tree)]
        while waiting:
            node, scope = waiting.pop()
            self.nodes.append(node)
            self._scope[node] = scope
            kind = type(node)
            if kind in _BINDERS and type(getattr(node, "ctx", None)) is not ast.Load:
                self._bind(node, scope)
            for child in reversed(_children(node)):
                self.parents[child] = node
                inner = scope
                if kind in _SCOPES and _is_of_scope(child, node):
                    inner = node  # type: ignore[assignment]
                elif kind is ast.comprehension and self._is_first(child, node):
                    inner = self._scope[scope]
                waiting.append((child, inner))
        for (scope, name), kind in self._declared.items():
            nodes = self._bound[scope].pop(name, [])
            home = self.tree if kind is ast.Global else self.binder_at(scope, name) or self.tree
            self._bound[home][name] += nodes
            self._remote.update(nodes)

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Global | ast.Nonlocal):
            self._declared |= dict.fromkeys(((scope, name) for name in node.names), type(node))
            return
        parent = self.parents[node]
        if isinstance(node, ast.arg):
            scope = self.parents[parent]  # type: ignore[assignment]
        elif isinstance(parent, ast.NamedExpr):  # it binds around comprehensions
            while isinstance(scope, COMPREHENSIONS):
                scope = self._scope[scope]
        name = name_of(node)
        if name is not None:
            self._bound[scope][name].append(node)

    def _is_first(self, child: ast.AST, node: ast.AST) -> bool:
        """Whether a node is the iterable of the first ``for`` of a comprehension."""
        return child is node.iter and node is self.parents[node].generators[0]  # type: ignore[attr-defined]


def _is_of_scope(child: ast.AST, scope: ast.AST) -> bool:
    """Whether a child of a scope is evaluated in it: no decorator, default or annotation."""
    if isinstance(scope, FUNCTIONS):
        return is_inside(child, scope)
    return not isinstance(scope, ast.ClassDef) or child in scope.body


def _children(node: ast.AST) -> list[ast.AST]:
    """The children of a node that have a place; ``ast.iter_child_nodes`` takes twice as long."""
    children: list[ast.AST] = []
    for field in node._fields:
        value = getattr(node, field, None)
        if type(value) is list:
            children += [
                child for child in value if isinstance(child, ast.AST) and type(child) not in _BARE
            ]
        elif isinstance(value, ast.AST) and type(value) not in _BARE:
            children.append(value)
    return children


def root_and_attributes(node: ast.AST) -> tuple[ast.AST, list[str]]:
    """The root of a dotted expression, and the attributes after it."""
    attributes: list[str] = []
    while isinstance(node, ast.Attribute):
        attributes.insert(0, node.attr)
        node = node.value
    return node, attributes


def _is_served(dotted: str) -> bool:
    """Whether ``run`` serves a name of Keras or of a harness, as far as the table knows."""
    row = lookup(dotted)
    return _publishes(*dotted.rpartition(".")[::2]) or bool(row and (row.new or row.support))


def _publishes(module: str, name: str) -> bool:
    """Whether a module of Keras or of a harness has a name, as far as the table of names knows."""
    if is_legacy(module) and lookup(f"{module}.{name}") is not None:
        return True
    head, keras, path = f"{module}.".rpartition("keras.")
    is_keras = bool(keras) and head in ("", "tensorflow.", "tensorflow.python.")
    return is_keras and name in PUBLIC.get(path.removesuffix("."), ())
