"""Reaching definitions: which bindings of a name may hold where the name is read.

Python's branches, loops, ``try`` and early returns are followed within one function or module
body. A name that is read in an inner function, or in a function of a module-level name, may hold
any binding of its scope.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pedl2det.analysis.scopes import COMPREHENSIONS, FUNCTIONS

#: One step into a value: an index, a key, or None for any member.
Step = int | str | None
Path = tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Binding:
    """One place where a name gets a value.

    Attributes:
        name: the name.
        node: the place: a target, a parameter, an import alias, a definition.
        value: the expression that the name is bound to, if there is one.
        path: the member of ``value`` that is bound, for unpacking and loops.
        statement: the statement that binds, or None for a parameter.
        augmented: whether the old value takes part (``x += y``).
    """

    name: str
    node: ast.AST
    value: ast.expr | None = None
    path: Path = ()
    statement: ast.stmt | None = None
    augmented: bool = False


Env = dict[str, frozenset[Binding]]


@dataclass
class Reaching:
    """The bindings of one scope.

    Attributes:
        bindings: every binding of each name in the scope.
        reads: the bindings that may hold at each name that is read in the scope itself.
        used_at: the names that each binding may be read as, in the scope itself.
    """

    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    reads: dict[ast.Name, frozenset[Binding]] = field(default_factory=dict)

    def used_at(self, binding: Binding) -> list[ast.Name]:
        """The names in the scope itself that may read a binding."""
        return [name for name, found in self.reads.items() if binding in found]


def reaching(scope: ast.AST) -> Reaching:
    """The reaching definitions of a module, function, lambda or class body."""
    walk = _Walk()
    env: Env = {}
    if isinstance(scope, FUNCTIONS):
        arguments = scope.args
        for arg in _arguments(arguments):
            env[arg.arg] = frozenset([walk.bind(arg.arg, arg)])
    if isinstance(scope, ast.Lambda):
        walk.read(scope.body, env)
    else:
        walk.body(getattr(scope, "body", []), env)
    return walk.result


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    extra = [one for one in (arguments.vararg, arguments.kwarg) if one]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]


class _Walk:
    """One walk over a body; ``None`` in place of an environment means unreachable."""

    def __init__(self) -> None:
        self.result = Reaching()
        self._known: dict[tuple[ast.AST, Path, str], Binding] = {}
        #: For each loop around the place, what may hold at its ``break`` and ``continue``.
        self._loops: list[tuple[list[Env], list[Env]]] = []
        #: For each block around the place that may end anywhere, what may hold when it does.
        self._watched: list[list[Env]] = []

    # Statements.

    def body(self, statements: Sequence[ast.stmt], env: Env | None) -> Env | None:
        for statement in statements:
            if env is None:
                env = {}  # dead code is still read
            self._watch(env)
            env = self._statement(statement, env)
        self._watch(env)
        return env

    def _watch(self, env: Env | None) -> None:
        """Note what holds here for the blocks that may end here."""
        if env is not None:
            for seen in self._watched:
                seen.append(env)

    def _watched_body(self, body: Sequence[ast.stmt], env: Env) -> tuple[Env | None, Env]:
        """What holds at the end of a block, and what may hold wherever it is left."""
        self._watched.append([env])
        end = self.body(body, env)
        return end, _joined(self._watched.pop()) or {}

    def _statement(self, node: ast.stmt, env: Env) -> Env | None:
        match node:
            case ast.Assign():
                return self._assign_all(node.targets, node.value, env, node)
            case ast.AnnAssign():
                self.read(node.annotation, env)
                value = node.value
                return self._assign_all([node.target], value, env, node) if value else env
            case ast.AugAssign():
                return self._augmented(node, env)
            case ast.Return() | ast.Raise():
                self._read_children(node, env)
                return None
            case ast.Break() | ast.Continue():
                if self._loops:
                    self._loops[-1][isinstance(node, ast.Continue)].append(env)
                return None
            case ast.If():
                env = self.read(node.test, env)
                return _joined([self.body(node.body, env), self.body(node.orelse, env)])
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(node, env)
            case ast.Try() | ast.TryStar():
                return self._try(node, env)
            case ast.With() | ast.AsyncWith():
                return self._with(node, env)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return self._definition(node, env)
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    env = self._bound(env, name, alias, statement=node)
                return env
            case ast.Match():
                return self._match(node, env)
        env = self._read_children(node, env)
        targets = node.targets if isinstance(node, ast.Delete) else ()
        gone = {one.id for one in targets if isinstance(one, ast.Name)}
        return {name: found for name, found in env.items() if name not in gone} if gone else env

    def _augmented(self, node: ast.AugAssign, env: Env) -> Env:
        env, target = self.read(node.value, env), node.target
        if not isinstance(target, ast.Name):
            self.read(target, env)
            return env
        self._note_read(target, env)
        binding = self.bind(target.id, target, node.value, (), node, augmented=True)
        return {**env, target.id: env.get(target.id, frozenset()) | {binding}}

    def _with(self, node: ast.With | ast.AsyncWith, env: Env) -> Env | None:
        for item in node.items:
            env = self.read(item.context_expr, env)
            if item.optional_vars is not None:
                env = self._assign(item.optional_vars, item.context_expr, (), env, node)
        if not any(_suppresses(item) for item in node.items):
            return self.body(node.body, env)
        return self._watched_body(node.body, env)[1]

    def _match(self, node: ast.Match, env: Env) -> Env | None:
        env = self.read(node.subject, env)
        ends: list[Env | None] = []
        for case in node.cases:
            inner = dict(env)
            for part in ast.walk(case.pattern):
                if isinstance(part, ast.MatchValue):
                    self.read(part.value, env)
                name = getattr(part, "name", None) or getattr(part, "rest", None)
                if isinstance(name, str):
                    inner = self._bound(inner, name, part, statement=node)
            if case.guard is not None:
                inner = self.read(case.guard, inner)
            env = _joined([env, inner]) or env  # the guard may fail after names are bound
            ends.append(self.body(case.body, inner))
        return _joined([env, *ends])

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, env: Env) -> Env | None:
        breaks: list[Env] = []
        continues: list[Env] = []
        self._loops.append((breaks, continues))
        if not isinstance(node, ast.While):
            env = self.read(node.iter, env)
        head = env
        for _ in range(2):  # the second time sees what the first one bound
            if isinstance(node, ast.While):
                inner = self.read(node.test, head)
            else:
                inner = self._assign(node.target, node.iter, (None,), head, node)
            head = _joined([env, self.body(node.body, inner), *continues]) or env
        self._loops.pop()
        done = self.read(node.test, head) if isinstance(node, ast.While) else head
        return _joined([self.body(node.orelse, done), *breaks])

    def _try(self, node: ast.Try | ast.TryStar, env: Env) -> Env | None:
        if not node.finalbody:
            return self._handled(node, env)
        ways = self._loops[-1] if self._loops else ([], [])
        known = [len(way) for way in ways]
        self._watched.append([env])
        end = self._handled(node, env)
        self.body(node.finalbody, _joined(self._watched.pop()) or {})
        for way, count in zip(ways, known, strict=True):  # `break` runs `finally` first
            left, way[count:] = _joined(way[count:]), []
            after = self.body(node.finalbody, left) if left is not None else None
            way += [after] if after is not None else []
        return None if end is None else self.body(node.finalbody, end)

    def _handled(self, node: ast.Try | ast.TryStar, env: Env) -> Env | None:
        """What holds after ``try`` and its handlers; an exception may come at any statement."""
        end, raised = self._watched_body(node.body, env)
        ends = [self.body(node.orelse, end) if end is not None else None]
        for handler in node.handlers:
            start = dict(raised)
            if handler.type is not None:
                self.read(handler.type, start)
            if handler.name:
                start = self._bound(start, handler.name, handler)
            ends.append(self.body(handler.body, start))
        return _joined(ends)

    def _definition(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, env: Env
    ) -> Env:
        for decorator in node.decorator_list:
            self.read(decorator, env)
        if isinstance(node, ast.ClassDef):
            for part in (*node.bases, *(one.value for one in node.keywords)):
                self.read(part, env)
        else:
            self._read_signature(node.args, env)
            if node.returns is not None:
                self.read(node.returns, env)
        return self._bound(env, node.name, node, statement=node)

    def _read_signature(self, arguments: ast.arguments, env: Env) -> None:
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.read(default, env)
        for arg in _arguments(arguments):
            if arg.annotation is not None:
                self.read(arg.annotation, env)

    def _assign_all(
        self, targets: Iterable[ast.expr], value: ast.expr, env: Env, statement: ast.stmt
    ) -> Env:
        env = self.read(value, env)
        for target in targets:
            env = self._assign(target, value, (), env, statement)
        return env

    def _assign(
        self, target: ast.expr, value: ast.expr, path: Path, env: Env, statement: ast.stmt
    ) -> Env:
        match target:
            case ast.Name(id=name):
                return self._bound(env, name, target, value, path, statement)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                star = False
                for index, element in enumerate(elements):
                    step: Step = None if star else index
                    if isinstance(element, ast.Starred):
                        star, step, element = True, None, element.value
                    env = self._assign(element, value, (*path, step), env, statement)
                return env
            case ast.Starred(value=inner):
                return self._assign(inner, value, (*path, None), env, statement)
        self.read(target, env)
        return env

    # Expressions.

    def read(self, node: ast.expr, env: Env) -> Env:
        """Read an expression; ``:=`` binds."""
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load | ast.Del):
                self._note_read(node, env)
            return env
        if isinstance(node, ast.NamedExpr):
            env = self.read(node.value, env)
            return self._bound(env, node.target.id, node.target, node.value)
        if isinstance(node, ast.Lambda):
            self._read_signature(node.args, env)
            return env  # its body is a scope of its own
        if isinstance(node, COMPREHENSIONS):
            return self._comprehension(node, env)
        if isinstance(node, ast.IfExp):
            env = self.read(node.test, env)
            return _joined([self.read(node.body, env), self.read(node.orelse, env)]) or env
        if isinstance(node, ast.BoolOp):
            ends = [self.read(node.values[0], env)]
            for value in node.values[1:]:  # each may be left out
                ends.append(self.read(value, ends[-1]))
            return _joined(ends) or env
        return self._read_children(node, env)

    def _note_read(self, node: ast.Name, env: Env) -> None:
        known = self.result.reads.get(node, frozenset())
        self.result.reads[node] = known | env.get(node.id, frozenset())

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, env: Env
    ) -> Env:
        inner = env
        for generator in node.generators:
            inner = self.read(generator.iter, inner)
            statement = ast.Pass()
            inner = self._assign(generator.target, generator.iter, (None,), inner, statement)
            for condition in generator.ifs:
                inner = self.read(condition, inner)
        parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        for part in parts:
            inner = self.read(part, inner)
        bound = {one.target.id for one in ast.walk(node) if isinstance(one, ast.NamedExpr)}
        after = {name: inner[name] for name in bound if name in inner}
        return _joined([env, after]) or env

    def _read_children(self, node: ast.AST, env: Env) -> Env:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                env = self.read(child, env)
            elif isinstance(child, ast.keyword | ast.FormattedValue | ast.Slice | ast.withitem):
                env = self._read_children(child, env)
        return env

    def _bound(
        self,
        env: Env,
        name: str,
        node: ast.AST,
        value: ast.expr | None = None,
        path: Path = (),
        statement: ast.stmt | None = None,
    ) -> Env:
        """What holds after a name was bound."""
        return {**env, name: frozenset([self.bind(name, node, value, path, statement)])}

    def bind(
        self,
        name: str,
        node: ast.AST,
        value: ast.expr | None = None,
        path: Path = (),
        statement: ast.stmt | None = None,
        augmented: bool = False,
    ) -> Binding:
        """The binding of a name at a place; the same object however often the place is walked."""
        key = (node, path, name)
        if key not in self._known:
            made = Binding(name, node, value, path, statement, augmented)
            self._known[key] = made
            self.result.bindings.setdefault(name, []).append(made)
        return self._known[key]


def _suppresses(item: ast.withitem) -> bool:
    """Whether a context manager ends its block at an exception, and the code after it runs."""
    return isinstance(item.context_expr, ast.Call) and ast.unparse(item.context_expr.func).endswith(
        "suppress"
    )


def _joined(ends: Iterable[Env | None]) -> Env | None:
    """What may hold where several ways meet."""
    live = [end for end in ends if end is not None]
    if not live:
        return None
    names = {name for end in live for name in end}
    return {name: frozenset().union(*(end[name] for end in live if name in end)) for name in names}
