"""The parts of a trial: its class, its hyperparameters, its loaders."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from variants.project import Project, code_paths
from variants.scopes import bound_in_body, parameters
from variants.source import Source

TRIAL_METHODS = frozenset(
    {
        *("build_model", "keras_callbacks", "session_config", "optimizer", "losses", "loss"),
        *("batch_size", "training_metrics", "validation_metrics"),
        *("build_training_data_loader", "build_validation_data_loader"),
    }
)
LOADERS = "make_data_loaders"
_OLD_IMPORT = re.compile(r"(?m)^\s*(import|from) pedl\b")


@dataclass(frozen=True)
class Place:
    """A node and the file that it is in."""

    path: str
    source: Source
    node: ast.AST


def sources(project: Project) -> dict[str, Source]:
    """Parse the Python files of a trial."""
    return {path: Source(project[path]) for path in code_paths(project)}


def trial_classes(source: Source) -> list[ast.ClassDef]:
    """Return the classes of a module that hold methods of a trial."""
    return [
        node
        for node in source.tree.body
        if isinstance(node, ast.ClassDef) and TRIAL_METHODS & {one.name for one in methods(node)}
    ]


def methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    """Return the methods of a class."""
    return [one for one in node.body if isinstance(one, ast.FunctionDef)]


def method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """Return the method of this name."""
    return next((one for one in methods(node) if one.name == name), None)


def is_legacy(project: Project) -> bool:
    """Return whether a project is written for PEDL: its methods take hyperparameters."""
    return any(_OLD_IMPORT.search(project[path]) for path in code_paths(project))


def hparams_of(project: Project, source: Source, function: ast.FunctionDef) -> str | None:
    """Return the parameter by which the runtime hands hyperparameters to a function.

    A parameter that the function binds to something else is none.
    """
    name = _hparams_parameter(project, source, function)
    return None if name in bound_in_body(function) else name


def experiment_config_of(source: Source, function: ast.FunctionDef) -> str | None:
    """Return the parameter by which the runtime hands the experiment config to a function."""
    if source.class_of(function) is not None or not _is_loader(function):
        return None
    name = function.args.args[0].arg
    return None if name in bound_in_body(function) else name


def _hparams_parameter(project: Project, source: Source, function: ast.FunctionDef) -> str | None:
    if not is_legacy(project) or any(one.arg in ("args", "_") for one in parameters(function)):
        return None
    names = [one.arg for one in function.args.args]
    holder = source.class_of(function)
    if holder is not None and holder in trial_classes(source):
        known = ("build_model", "keras_callbacks", "session_config", "__init__")
        return names[1] if function.name in known and len(names) == 2 else None
    return names[1] if _is_loader(function) else None


def mappings_of(project: Project, source: Source, function: ast.FunctionDef) -> list[str]:
    """Return the parameters that hold hyperparameters or the experiment config."""
    names = (hparams_of(project, source, function), experiment_config_of(source, function))
    return [name for name in names if name]


def _is_loader(function: ast.FunctionDef) -> bool:
    return function.name in (LOADERS, "fetch", "download_data") and len(function.args.args) == 2


def hparam_reads(source: Source, function: ast.FunctionDef, name: str) -> list[ast.Subscript]:
    """Return the places in a function that read a hyperparameter by subscript."""
    return [
        node
        for node in source.walk(ast.Subscript)
        if isinstance(node.value, ast.Name)
        and node.value.id == name
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
        and isinstance(node.ctx, ast.Load)
        and function in source.ancestors(node)
    ]


def name_constants(source: Source) -> list[ast.Constant]:
    """Return the texts in a module by which hyperparameters are asked for."""
    found = []
    for node in source.walk(ast.Constant):
        parent = source.parents[node]
        is_subscript = isinstance(parent, ast.Subscript) and parent.slice is node
        is_argument = (
            isinstance(parent, ast.Call)
            and parent.args[:1] == [node]
            and isinstance(parent.func, ast.Attribute | ast.Name)
            and ast.unparse(parent.func).split(".")[-1]
            in ("get", "get_hparam", "get_hyperparameter")
        )
        if isinstance(node.value, str) and (is_subscript or is_argument):
            found.append(node)
    return found


def containers_of_loaders(project: Project) -> Iterator[tuple[str, Source, ast.Return]]:
    """Yield the places that return two loaders."""
    for path, source in sources(project).items():
        for node in source.walk(ast.Return):
            function = source.function_of(node)
            is_pair = isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2
            if is_pair and function is not None and function.name == LOADERS:
                yield path, source, node
