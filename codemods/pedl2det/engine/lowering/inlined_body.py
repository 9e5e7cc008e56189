"""The body of a function as statements of the script that calls it."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass
from typing import Any

import libcst as cst

from pedl2det.analysis.scopes import imported_as
from pedl2det.analysis.source import Source
from pedl2det.edits.locate import Locator
from pedl2det.engine.lowering.blocks import ancestors, closed, is_docstring, lines_of
from pedl2det.engine.lowering.fits import Fits, receiver
from pedl2det.engine.lowering.returns import NoSuchForm, without_returns
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.walk import bound_names, own_nodes, read_names


@dataclass(frozen=True)
class Body:
    """The statements of a function where it is called.

    Attributes:
        lines: the statements.
        imports: what they need of the function's own file.
    """

    lines: tuple[Any, ...]
    imports: tuple[str, ...] = ()


def has_docstring(function: ast.FunctionDef) -> bool:
    """Whether a function begins with a docstring."""
    return ast.get_docstring(function, clean=False) is not None


def body_of(
    script: Script,
    fits: Fits,
    call: ast.Call,
    function: ast.FunctionDef,
    target: str,
    locator: Locator,
) -> Body | None:
    """Write a function's body where it is called; None if it means something else there.

    Args:
        script: the script.
        fits: its trainings.
        call: the call.
        function: the function.
        target: what the returned value is assigned to, as code.
        locator: finds the nodes of the script.
    """
    home = fits.modules.home(function)
    arguments = _arguments(fits, call, function)
    if arguments is None or not _is_plain(function):
        return None
    here = locator if home is script.source else Locator(home)
    outside = _names_outside(fits, home, function, script)
    if outside is None:
        return None
    imports, renamed_imports = outside
    names = _Names(script.source, home, function, arguments, target)
    renames = names.renames
    if renames is None:
        return None
    renamer = _Renamer(home, function, here, renames, renamed_imports)
    definition: Any = here.statement(function)
    lines = lines_of(definition.body)
    if lines and has_docstring(function) and is_docstring(lines[0]):
        lines = lines[1:]
    try:
        lines = without_returns([renamer.renamed(one) for one in lines], target)
    except NoSuchForm:
        return None
    lines = [one for one in lines if not _is_declaration(one, names.unused)]
    bindings = [
        _binding(renames.get(name, name), _expression(value, fits, locator, here))
        for name, value in names.assigned
    ]
    return Body((*bindings, *lines), imports)


def _arguments(
    fits: Fits, call: ast.Call, function: ast.FunctionDef
) -> list[tuple[ast.arg, ast.expr]] | None:
    """Each parameter with the expression that fills it."""
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    if any(one.arg is None for one in call.keywords):
        return None
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(given.defaults))
    default_of = dict(zip(positional, [*defaults, *given.defaults], strict=True))
    default_of |= dict(zip(given.kwonlyargs, given.kw_defaults, strict=True))
    filled: dict[ast.arg, ast.expr] = {}
    own = receiver(fits, call, function)
    places = list(positional)
    if own is not None:
        filled[places.pop(0)] = own
    if len(call.args) > len(places):
        return None
    filled |= dict(zip(places, call.args, strict=False))
    by_name = {one.arg: one for one in [*positional, *given.kwonlyargs]}
    for keyword in call.keywords:
        if keyword.arg not in by_name:
            return None
        filled[by_name[keyword.arg]] = keyword.value
    found = []
    for one, default in default_of.items():
        value = filled.get(one, default)
        if value is None:
            return None
        found.append((one, value))
    order = {id(value): number for number, (_, value) in enumerate(found)}
    written = [own, *call.args, *(one.value for one in call.keywords)]
    order |= {id(value): number - len(written) for number, value in enumerate(written)}
    return sorted(found, key=lambda pair: order[id(pair[1])])


def _is_plain(function: ast.FunctionDef) -> bool:
    """Whether a function's statements mean the same outside of it."""
    extra = {one.arg for one in (function.args.vararg, function.args.kwarg) if one is not None}
    if extra & read_names(function.body):
        return False
    for node in own_nodes(function.body):
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.AsyncFor | ast.AsyncWith):
            return False
        if isinstance(node, ast.Name) and node.id in ("super", "__class__", "locals", "vars"):
            return False
    return not any(_is_private(node) for node in ast.walk(function))


def _is_private(node: ast.AST) -> bool:
    """Whether a name means another one outside of its class."""
    name = getattr(node, "attr", "") or getattr(node, "id", "")
    return isinstance(name, str) and name.startswith("__") and not name.endswith("__")


class _Names:
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


def _names_outside(
    fits: Fits, home: Source, function: ast.FunctionDef, script: Script
) -> tuple[tuple[str, ...], dict[str, str]] | None:
    """The imports for the names of another file, and the names that they get here."""
    if home is script.source:
        return (), {}
    if any(isinstance(node, ast.Global) for node in ast.walk(function)):
        return None
    imports: list[str] = []
    renames: dict[str, str] = {}
    module = fits.modules.name_of(home)
    wanted = {
        node.id
        for node in home.names.below(function)
        if isinstance(node, ast.Name) and home.names.binder(node) is home.tree
    }
    for name in sorted(wanted):
        line = _import_of(home, name, module)
        if line is None:
            return None
        statement, dotted = line
        bound = script.source.names.module_bindings(name)
        meanings = [script.source.names.follow(one) if one else one for one in bound]
        if bound and meanings != [fits.modules.home(home.tree).names.follow(dotted)]:
            renames[name] = f"{module.rpartition('.')[2]}_{name}"
            statement = f"{statement.partition(' as ')[0]} as {renames[name]}"
        if not bound or name in renames:
            imports.append(statement)
    return tuple(imports), renames


def _import_of(home: Source, name: str, module: str) -> tuple[str, str] | None:
    """The statement that imports a name of a file into another one, and what it means."""
    for node in home.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name.partition(".")[0]) == name:
                    if isinstance(node, ast.Import):
                        return ast.unparse(ast.Import([alias])), alias.name
                    if node.level:
                        return None
                    single = ast.ImportFrom(node.module, [alias], 0)
                    return ast.unparse(single), imported_as(node, alias)
    return f"from {module} import {name}", f"{module}.{name}"


class _Renamer:
    """Gives the variables of a function other names."""

    def __init__(
        self,
        home: Source,
        function: ast.FunctionDef,
        locator: Locator,
        renames: dict[str, str],
        imported: dict[str, str],
    ) -> None:
        names = home.names
        self._new: dict[Any, str] = {}
        for node in names.below(function):
            if isinstance(node, ast.Name):
                binder = names.binder(node)
                if binder is function and node.id in renames:
                    self._new[locator.expression(node)] = renames[node.id]
                elif binder is home.tree and node.id in imported:
                    self._new[locator.expression(node)] = imported[node.id]
            elif (
                isinstance(node, ast.FunctionDef | ast.ClassDef)
                and node is not function
                and node.name in renames
                and names.binder_at(node, node.name) is function
            ):
                definition: Any = locator.statement(node)
                self._new[definition.name] = renames[node.name]

    def renamed(self, line: Any) -> Any:
        """A line with the new names."""
        path = ancestors(line, [*self._new, *_nonlocals(line)])
        return line.visit(_Replacer(self._new, path)) if path else line


class _Replacer(cst.CSTTransformer):
    def __init__(self, new: dict[Any, str], path: set[int]) -> None:
        super().__init__()
        self._new = new
        self._path = path

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Look only where something changes."""
        return id(node) in self._path

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Rename; a variable of the function is one of the module now."""
        name = self._new.get(original_node)
        if name is not None:
            return updated_node.with_changes(value=name)
        if isinstance(updated_node, cst.Nonlocal):
            return cst.Global(updated_node.names)
        return updated_node


def _nonlocals(node: Any) -> list[Any]:
    found = [node] if isinstance(node, cst.Nonlocal) else []
    return [*found, *(one for child in node.children for one in _nonlocals(child))]


def _is_declaration(line: Any, unused: set[str]) -> bool:
    """Whether a line only says ``global``, ``pass``, or ``del`` of a parameter that is gone."""
    return isinstance(line, cst.SimpleStatementLine) and all(
        isinstance(one, cst.Global | cst.Pass)
        or (
            isinstance(one, cst.Del)
            and isinstance(one.target, cst.Name)
            and one.target.value in unused
        )
        for one in line.body
    )


def _without_deletions(body: list[ast.stmt]) -> list[ast.stmt]:
    return [one for one in body if not isinstance(one, ast.Delete)]


def _does_work(value: ast.expr) -> bool:
    """Whether computing a value may do anything else."""
    return any(isinstance(one, ast.Call | ast.Await | ast.NamedExpr) for one in ast.walk(value))


def _expression(value: ast.expr, fits: Fits, locator: Locator, here: Locator) -> Any:
    """The libcst expression of an argument, or of a default in the function's file."""
    at = locator if fits.modules.home(value) is locator.source else here
    return at.expression(value)


def _binding(name: str, value: Any) -> Any:
    assignment = cst.Assign([cst.AssignTarget(cst.Name(name))], closed(value))
    return cst.SimpleStatementLine([assignment])
