"""Whether the value of a module's constant may stand at each of its uses instead."""

from __future__ import annotations

import ast

from pedl2det.facts.calls import Use
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow.dicts import is_read
from pedl2det.rules.run_getters import getter_text

_CONFIG = "context.get_experiment_config()"


def obstacle(project: TrialProject, source: Source, value: ast.expr, use: Use) -> str | None:
    """Why a use of a constant must not become the constant's value, if so.

    Args:
        project: the trial.
        source: the file of the constant.
        value: what the constant is given.
        use: where it is read.
    """
    for name in sorted(_builtins(project, source, value)):
        names = use.source.names
        if names.binder_at(use.node, name) is not None or names.module_bindings("*"):
            return f"{name}, of which it is made, may mean something else here"
    if not may_be_container(project, source, value) or _is_only_read(project, use):
        return None
    return "it may be a dict or a list, which is one for all its uses, and may be changed here"


def may_be_container(project: TrialProject, source: Source, node: ast.AST) -> bool:
    """Whether a constant's value may be a dict or a list, as far as the configs tell."""
    match node:
        case ast.Constant() | ast.JoinedStr() | ast.Compare() | ast.UnaryOp():
            return False
        case (
            ast.Call(func=ast.Name(id="max" | "min"))
            | ast.BinOp()
            | ast.BoolOp()
            | ast.IfExp()
            | ast.Tuple()
        ):
            parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
            return any(may_be_container(project, source, part) for part in parts)
        case ast.Name(id="max" | "min"):
            return False
        case ast.Name():
            found = project.calls.meaning(source, node)
            return not isinstance(found, ast.Assign) or may_be_container(
                project, project.calls.home[found], found.value
            )
        case (
            ast.Call(func=ast.Name(), args=[ast.Constant(value=str(name))])
            | ast.Call(func=ast.Attribute(), args=[ast.Constant(value=str(name))])
        ) if getter_text(source, node, "context") is not None:
            return _is_container(project, ("hyperparameters", name))
        case ast.Call() if (text := getter_text(source, node, "context")) is not None:
            return text == _CONFIG
        case ast.Call(func=ast.Name()):
            return False  # one of the functions that give numbers and texts
    path = _path(project, source, node)
    given = node.args[1:] if isinstance(node, ast.Call) else []
    if path is None or any(may_be_container(project, source, one) for one in given):
        return True
    return not project.configs or _is_container(project, path)


def _is_container(project: TrialProject, path: tuple[str, ...]) -> bool:
    """Whether a config has a list at a path, or a mapping that is no hyperparameter's range."""
    for config in project.configs:
        entry = config.entry(*path)
        is_range = path[0] == "hyperparameters" and config.entry(*path, "type") is not None
        inner = [config.entry(*path, "val")] if is_range else [entry]
        if any(one is not None and one.scalar is None for one in inner):
            return True
    return False


def _path(project: TrialProject, source: Source, node: ast.AST) -> tuple[str, ...] | None:
    """The keys of the config under which an expression looks; None if they cannot be seen."""
    match node:
        case (
            ast.Subscript(value=value, slice=ast.Constant(value=str(key)))
            | ast.Call(
                func=ast.Attribute(value=value, attr="get"),
                args=[ast.Constant(value=str(key)), *_],
            )
        ):
            above = _path(project, source, value)
            return None if above is None else (*above, key)
        case ast.Call():
            return () if getter_text(source, node, "context") == _CONFIG else None
        case ast.Name():
            found = project.calls.meaning(source, node)
            if isinstance(found, ast.Assign):
                return _path(project, project.calls.home[found], found.value)
    return None


def _is_only_read(project: TrialProject, use: Use) -> bool:
    """Whether a use, and what is taken out of the container there, is only read."""
    node: ast.expr = use.node
    parents = use.source.names.parents
    while True:
        if not is_read(project, use.source, node):
            return False
        match parents[node], parents.get(parents[node]):
            case ast.Subscript() as whole, _:
                pass
            case ast.Attribute(attr="get"), ast.Call() as whole:
                pass
            case _:
                return True
        if _path(project, use.source, whole) is not None and not may_be_container(
            project, use.source, whole
        ):
            return True
        node = whole


def _builtins(project: TrialProject, source: Source, node: ast.AST) -> set[str]:
    """The names in a constant's value that are neither constants nor part of a question."""
    found: set[str] = set()
    todo = [node]
    while todo:
        inner = todo.pop()
        meant = project.calls.meaning(source, inner)
        if isinstance(inner, ast.Call) and getter_text(source, inner, "context") is not None:
            continue
        if isinstance(meant, ast.Assign):
            found |= _builtins(project, project.calls.home[meant], meant.value)
        elif isinstance(inner, ast.Name):
            found.add(inner.id)
        todo += ast.iter_child_nodes(inner)
    return found
