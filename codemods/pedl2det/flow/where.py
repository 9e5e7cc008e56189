"""Where in a trial a piece of code stands, and how it reaches the context from there."""

from __future__ import annotations

import ast

from pedl2det.facts.project import Generation, TrialProject
from pedl2det.facts.scopes import FUNCTIONS
from pedl2det.facts.source import Source
from pedl2det.script.context import context_in as script_context

#: Methods of a legacy trial that were given the hyperparameters.
WITH_HPARAMS = ("build_model", "session_config", "keras_callbacks")

#: Methods that change a dict.
MUTATORS = {"update", "pop", "popitem", "setdefault", "clear"}


def methods(project: TrialProject) -> dict[str, ast.FunctionDef]:
    """The methods of the trial by name; its own before those that it inherits in the directory."""
    return {
        node.name: node
        for _, trial in reversed(project.line)
        for node in trial.body
        if isinstance(node, ast.FunctionDef)
    }


def all_methods(project: TrialProject) -> list[tuple[Source, ast.FunctionDef]]:
    """Every method of the trial and of the classes that it derives from, with its file."""
    return [
        (source, node)
        for source, trial in project.line
        for node in trial.body
        if isinstance(node, ast.FunctionDef)
    ]


def file_of(project: TrialProject, method: ast.FunctionDef) -> Source:
    """The file of one of the methods of the trial."""
    return next(source for source, node in all_methods(project) if node is method)


def context_in(project: TrialProject, source: Source, node: ast.AST) -> str | None:
    """The expression that is the context where a node stands; None if it is out of reach."""
    if project.script is not None:
        return script_context(project.script, node) if source is project.script else None
    function = source.names.function_of(node) or node
    if not isinstance(function, ast.FunctionDef):
        return None
    if node is not function and not source.names.is_in_body(node, function):
        return None  # a default or a decorator is evaluated without the trial
    if node is not function and not is_reached(source, node, function):
        return None  # self is another one there
    if _is_method(project, source, function):
        is_property = [ast.unparse(decorator) for decorator in function.decorator_list] in (
            [],
            ["property"],
        )
        if not is_property or not function.args.args:
            return None
        if function.name == "__init__":
            return context_parameter(project, function)
        return f"{function.args.args[0].arg}.context"
    if (source, function) in project.entries:
        return "context"
    return None


def _is_method(project: TrialProject, source: Source, function: ast.AST) -> bool:
    """Whether a function is a method of the trial, the last one of its name in its class."""
    for home, trial in project.line:
        if home is source:
            last = {node.name: node for node in trial.body if isinstance(node, ast.FunctionDef)}
            if function in last.values():
                return True
    return False


def context_parameter(project: TrialProject, constructor: ast.FunctionDef) -> str:
    """What the context is called in the constructor of the migrated trial."""
    arguments = constructor.args.args
    if project.generation is not Generation.PEDL and len(arguments) > 1:
        return arguments[1].arg
    return "context"


def hparams_of(project: TrialProject, source: Source, function: ast.FunctionDef) -> str | None:
    """The name under which a function was given the hyperparameters, if it was."""
    arguments = function.args.args
    if _is_method(project, source, function):
        given = function.name in (*WITH_HPARAMS, "__init__")
        return arguments[1].arg if given and len(arguments) > 1 else None
    if (source, function) in project.entries:
        return arguments[1].arg if len(arguments) == 2 else None
    return None


def uses_of(source: Source, function: ast.FunctionDef, name: str) -> list[ast.Name]:
    """Every place below a function where one of its own names is read or written."""
    return [
        node
        for statement in function.body
        for node in source.names.below(statement)
        if isinstance(node, ast.Name) and node.id == name and source.names.binder(node) is function
    ]


def is_reached(source: Source, node: ast.AST, function: ast.FunctionDef) -> bool:
    """Whether the function's own ``self`` is ``self`` where a node stands."""
    first = function.args.args[0].arg if function.args.args else ""
    while (node := source.names.parents[node]) is not function:
        if isinstance(node, ast.ClassDef):
            return False
        if isinstance(node, FUNCTIONS) and any(
            argument.arg == first for argument in node.args.args
        ):
            return False
    return True


def is_changed(source: Source, use: ast.Name | ast.Attribute) -> bool:
    """Whether the dict that an expression means is bound anew or changed where it stands."""
    if not isinstance(use.ctx, ast.Load):
        return True
    match source.names.parents[use]:
        case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
            return value is use
        case ast.Attribute(value=value, attr=attribute):
            return value is use and attribute in MUTATORS
    return False


def catches_key_error(source: Source, function: ast.AST) -> bool:
    """Whether a function expects a missing key; the context raises another error for it."""
    return any(
        isinstance(part, ast.Name) and part.id in ("KeyError", "LookupError")
        for node in source.names.below(function)
        if isinstance(node, ast.ExceptHandler) and node.type
        for part in ast.walk(node.type)
    )


def constant_key(source: Source, name: ast.Name) -> tuple[ast.expr, str, ast.expr | None] | None:
    """``name["key"]`` or ``name.get("key", default)`` around a name.

    Returns:
        The whole expression, the key, and the default if ``get`` was given one.
    """
    parent = source.names.parents[name]
    match parent:
        case ast.Subscript(value=value, slice=ast.Constant(value=str(key)), ctx=ast.Load()) if (
            value is name
        ):
            return parent, key, None
        case ast.Attribute(value=value, attr="get") if value is name:
            match source.names.parents[parent]:
                case (
                    ast.Call(
                        func=func, args=[ast.Constant(value=str(key)), *rest], keywords=[]
                    ) as call
                ) if func is parent and len(rest) <= 1:
                    return call, key, rest[0] if rest else None
    return None
