"""The parts of a script: what it does before ``fit``, the ``fit``, and what it does after it."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass

from pedl2det.facts.scopes import FUNCTIONS
from pedl2det.facts.source import Source
from pedl2det.findings import Unclear
from pedl2det.script.moving import what_moves
from pedl2det.script.walk import function_named, is_fit, own_nodes

FITS = ("fit", "fit_generator")


@dataclass(frozen=True)
class Parts:
    """A script in parts.

    Attributes:
        source: its file.
        main: the function that it calls as its last act, whose body is looked into, if any.
        wrappers: the statements around what moves, which will be gone.
        before: the statements that run before the training.
        fit: the statement that trains.
        after: the statements that run after it.
    """

    source: Source
    main: ast.FunctionDef | None
    wrappers: tuple[ast.stmt, ...]
    before: tuple[ast.stmt, ...]
    fit: ast.Expr | ast.Assign
    after: tuple[ast.stmt, ...]

    @property
    def scope(self) -> ast.Module | ast.FunctionDef:
        """Where the names of what moves are bound."""
        return self.main or self.source.tree

    @property
    def docstring(self) -> str | None:
        """The docstring of the function that is looked into, as it is written."""
        if self.main is None or ast.get_docstring(self.main) is None:
            return None
        return self.source.segment(self.main.body[0])

    @property
    def moving(self) -> tuple[ast.stmt, ...]:
        """All statements that move."""
        return (*self.before, self.fit, *self.after)

    @property
    def call(self) -> ast.Call:
        """The call that trains."""
        assert isinstance(self.fit.value, ast.Call)
        return self.fit.value

    @property
    def model(self) -> ast.Name:
        """The model that is trained."""
        assert isinstance(self.call.func, ast.Attribute)
        assert isinstance(self.call.func.value, ast.Name)
        return self.call.func.value


@functools.lru_cache(maxsize=4)
def parts_of(source: Source) -> Parts:
    """Take a script apart.

    Raises:
        Unclear: it does not train one model, once, in its own straight course.
    """
    main, wrappers, moving = what_moves(source)
    fits = [node for node in moving if _fitted(node) in _models(source, moving)]
    everywhere = [
        node
        for node in source.names.nodes
        if isinstance(node, ast.Call) and is_fit(node, _models(source, moving))
    ]
    if len(everywhere) > 1:
        raise Unclear(
            everywhere[1], "fit is called more than once: a script trains one model, once"
        )
    if not fits:
        raise _no_fit(source, everywhere)
    at = moving.index(fits[0])
    fit = fits[0]
    assert isinstance(fit, ast.Expr | ast.Assign)
    return Parts(source, main, wrappers, tuple(moving[:at]), fit, tuple(moving[at + 1 :]))


def _models(source: Source, moving: list[ast.stmt]) -> set[str]:
    """The names of models: of what is compiled, or made by a function that compiles."""
    found = set()
    for node in own_nodes(moving):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="compile")):
                if source.names.qualified(node.func) is None:  # re.compile
                    found.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=maker))):
                function = function_named(source, maker)
                if function is not None and _compiles(function):
                    found.add(name)
    return found


def _compiles(function: ast.FunctionDef) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "compile"
        for node in own_nodes(function.body)
    )


def _fitted(statement: ast.stmt) -> str | None:
    """The name whose ``fit`` a statement calls, and does nothing else."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr))):
            return name if attr in FITS else None
        case ast.Assign(
            targets=[ast.Name()],
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)),
        ):
            return name if attr in FITS else None
    return None


def _no_fit(source: Source, found: list[ast.Call]) -> Unclear:
    """Why there is no statement that trains."""
    anywhere: list[ast.AST] = [*found]
    anywhere = anywhere or [node for node in source.names.nodes if _is_any_fit(node)]
    if not anywhere:
        message = "the script calls no model's fit: a training loop of its own stays a person's"
        return Unclear(source.tree, message)
    node = anywhere[0]
    names: dict[type[ast.AST], str] = {
        ast.For: "a loop",
        ast.While: "a loop",
        ast.If: "a condition",
        ast.Try: "a try",
        ast.With: "a with",
    }
    parent = node
    while parent in source.names.parents:
        parent = source.names.parents[parent]
        if isinstance(parent, FUNCTIONS):
            return Unclear(node, "fit is called in a function, and not in the script's own course")
        if isinstance(parent, ast.If) and "__main__" in ast.unparse(parent.test):
            break
        if type(parent) in names:
            return Unclear(node, f"fit is called in {names[type(parent)]}")
    message = "which model is trained cannot be told: expected one name that compiles and fits"
    return Unclear(node, message)


def _is_any_fit(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in FITS
    )
