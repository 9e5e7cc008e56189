"""The body of a function as statements of the script that calls it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

import libcst as cst

from pedl2det.analysis.source import Source
from pedl2det.edits.locate import Locator
from pedl2det.engine.lowering.arguments import arguments_of, collected
from pedl2det.engine.lowering.blocks import ancestors, closed, is_docstring, lines_of
from pedl2det.engine.lowering.fits import Fits
from pedl2det.engine.lowering.inlined_names import InlinedNames
from pedl2det.engine.lowering.outside_names import names_outside
from pedl2det.engine.lowering.returns import NoSuchForm, without_returns
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.walk import own_nodes


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
    arguments = arguments_of(fits, call, function)
    if arguments is None or not _is_plain(function):
        return None
    here = locator if home is script.source else Locator(home)
    outside = names_outside(fits, home, function, script)
    if outside is None:
        return None
    imports, renamed_imports = outside
    names = InlinedNames(script.source, home, function, arguments, target)
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
    extra = collected(fits, call, function, locator)
    bindings = [
        _binding(renames.get(name, name), _expression(value, fits, locator, here))
        for name, value in names.assigned
    ]
    bindings += [_binding(renames.get(name, name), value) for name, value in extra]
    return Body((*bindings, *lines), imports)


def _is_plain(function: ast.FunctionDef) -> bool:
    """Whether a function's statements mean the same outside of it."""
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


def _expression(value: ast.expr, fits: Fits, locator: Locator, here: Locator) -> Any:
    """The libcst expression of an argument, or of a default in the function's file."""
    at = locator if fits.modules.home(value) is locator.source else here
    return at.expression(value)


def _binding(name: str, value: Any) -> Any:
    assignment = cst.Assign([cst.AssignTarget(cst.Name(name))], closed(value))
    return cst.SimpleStatementLine([assignment])
