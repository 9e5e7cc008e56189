"""The names of a function's variables where its body is written out."""

from __future__ import annotations

import ast
import builtins

from pedl2det.analysis.scopes import imported_as
from pedl2det.analysis.source import Source
from pedl2det.engine.lowering.walk import bound_names, own_nodes, read_names


class InlinedNames:
    """The names of a function where it is written out.

    Attributes:
        renames: new names of its variables; None if they cannot be told apart.
        unused: parameters that nothing reads.
        assigned: the parameters that become variables, each with its value.
    """

    def __init__(
        self,
        script: Source,
        home: Source,
        function: ast.FunctionDef,
        arguments: list[tuple[ast.arg, ast.expr]],
        target: str,
    ) -> None:
        self._script, self._function = script, function
        bound = bound_names(function.body)
        for node in own_nodes(function.body):
            if isinstance(node, ast.Global):
                bound = {name: one for name, one in bound.items() if name not in node.names}
        self._taken = _taken(script, function)
        self.assigned: list[tuple[str, ast.expr]] = []
        self.renames: dict[str, str] | None = {}
        self.unused: set[str] = set()
        used = read_names(_without_deletions(function.body))
        owner = home.names.parents.get(function)
        for number, (parameter, value) in enumerate(arguments):
            name = parameter.arg
            if isinstance(value, ast.Name) and name not in bound and _is_of_module(script, value):
                if value.id != name:
                    self.renames[name] = value.id
                continue
            if name not in used and not _does_work(value):
                self.unused.add(name)
                continue
            self.assigned.append((name, value))
            if number == 0 and isinstance(owner, ast.ClassDef):  # `self` is the trial there
                made = owner.name.lower()
                self.renames[name] = self._fresh(name) if made in self._taken else made
            else:
                self._fit(name)
        for extra in (function.args.vararg, function.args.kwarg):
            if extra is not None:
                self._fit(extra.arg)
        same = {target} if _returns_only(function, target) else set()
        for name, node in bound.items():
            if (
                name in same
                or name in self.unused
                or name in dict(self.assigned)
                or self.renames is None
            ):
                continue
            if isinstance(node, ast.alias | ast.Import | ast.ImportFrom):
                if name in self._taken and not _is_same_import(script, node, name):
                    self.renames = None
            else:
                self._fit(name)
        reused = list((self.renames or {}).values())
        for name in bound:  # a variable of the function that is called like an argument
            if self.renames is not None and name in reused and name not in self.renames:
                self.renames[name] = self._fresh(name)

    def _fit(self, name: str) -> None:
        if self.renames is not None and name in self._taken:
            self.renames[name] = self._fresh(name)

    def _fresh(self, name: str) -> str:
        made = f"{self._function.name.strip('_')}_{name}"
        while made in self._taken:
            made += "_"
        self._taken.add(made)
        return made


def _taken(script: Source, function: ast.FunctionDef) -> set[str]:
    """The names that the script's module uses, other than inside of a function."""
    names = script.names
    found = set(names.module_names()) - {function.name}
    own = set(map(id, ast.walk(function)))
    for node in names.of(ast.Name):
        if id(node) not in own and names.binder(node) is None and hasattr(builtins, node.id):
            found.add(node.id)
    return found


def _is_of_module(script: Source, value: ast.Name) -> bool:
    return script.names.binder(value) is script.tree


def _is_same_import(script: Source, node: ast.AST, name: str) -> bool:
    """Whether the module itself imports the same under a name."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return False
    for alias in node.names:
        local = alias.asname or alias.name.partition(".")[0]
        if local == name:
            dotted = imported_as(node, alias) if isinstance(node, ast.ImportFrom) else alias.name
            meaning = dotted if alias.asname or isinstance(node, ast.ImportFrom) else name
            return set(script.names.module_bindings(name)) == {meaning}
    return False


def _returns_only(function: ast.FunctionDef, target: str) -> bool:
    """Whether a function returns nothing but its variable of this name."""
    returned = [one for one in own_nodes(function.body) if isinstance(one, ast.Return)]
    return bool(returned) and all(
        isinstance(one.value, ast.Name) and one.value.id == target for one in returned
    )


def _without_deletions(body: list[ast.stmt]) -> list[ast.stmt]:
    return [one for one in body if not isinstance(one, ast.Delete)]


def _does_work(value: ast.expr) -> bool:
    """Whether computing a value may do anything else."""
    return any(isinstance(one, ast.Call | ast.Await | ast.NamedExpr) for one in ast.walk(value))
