"""Positional parameters of known functions, by the last part of the name."""

from __future__ import annotations

import ast

from variants.project import Project
from variants.scopes import parameters
from variants.source import Source
from variants.trial import sources

KNOWN: dict[str, tuple[str, ...]] = {
    "KerasDataAdapter": ("sequence", "use_multiprocessing", "workers", "max_queue_size"),
    "InMemorySequence": ("data", "labels", "batch_size"),
    "ArrayBatchLoader": ("data", "labels"),
    "compile": ("optimizer", "loss", "metrics"),
    "Dense": ("units", "activation"),
    "LSTM": ("units", "activation"),
    "Conv2D": ("filters", "kernel_size", "strides", "padding"),
    "Dropout": ("rate",),
    "get_hyperparameter": ("name",),
    "get_hparam": ("name",),
    "wrap_dataset": ("dataset",),
    "wrap_model": ("model",),
    "wrap_optimizer": ("optimizer",),
    "read_csv": ("filepath_or_buffer",),
    "to_categorical": ("y", "num_classes"),
    "get_file": ("fname", "origin"),
    "batch": ("batch_size",),
    "Model": ("inputs", "outputs"),
    "Adam": ("learning_rate",),
}


def signatures(project: Project) -> dict[str, tuple[str, ...]]:
    """Return the known signatures and those of the project's own functions and classes."""
    found = dict(KNOWN)
    for source in sources(project).values():
        for function in source.walk(ast.FunctionDef):
            holder = source.class_of(function)
            if function.name in KNOWN and function.name in found:
                del found[function.name]  # a method of the project has the same name
            if holder is None and source.parents[function] is source.tree:
                found[function.name] = _names(function)
            elif holder is not None and function.name == "__init__":
                found[holder.name] = _names(function)[1:]
    return found


def parameters_of(
    source: Source, call: ast.Call, known: dict[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """Return the names of the positional parameters of what a call calls; empty if unknown."""
    plain = not any(isinstance(one, ast.Starred) for one in call.args)
    if not plain or not isinstance(call.func, ast.Attribute | ast.Name):
        return ()
    return known.get(ast.unparse(call.func).split(".")[-1], ())


def _names(function: ast.FunctionDef) -> tuple[str, ...]:
    if len(parameters(function)) != len(function.args.args) or function.decorator_list:
        return ()
    return tuple(one.arg for one in function.args.args)
