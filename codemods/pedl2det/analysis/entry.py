"""How the old harness called ``make_data_loaders`` and ``download_data``.

It passed the experiment config and the hyperparameters by position.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass

_BY_TEXT = ("locals", "eval", "exec")


@dataclass(frozen=True)
class Entry:
    """The parameters of a function that the old harness called.

    Attributes:
        config: the parameter that got the experiment config by position.
        hparams: the parameter that got the hyperparameters by position.
        is_plain: whether the function can be called without both once they are dropped.
    """

    config: ast.arg | None
    hparams: ast.arg | None
    is_plain: bool


def entry_of(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Entry:
    """How the old harness called a function."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if len(positional) < 2:  # it was called by the names of its parameters, if it has any
        takes_any = positional or arguments.kwonlyargs or arguments.vararg or arguments.kwarg
        return Entry(None, None, is_plain=not takes_any)
    needed = len(positional) - len(arguments.defaults)
    is_plain = needed <= 2 and all(one is not None for one in arguments.kw_defaults)
    return Entry(positional[0], positional[1], is_plain=is_plain and not reads_any_local(function))


def is_called_by_name(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    """Whether the old harness called a function by the names of the parameters that it has."""
    entry = entry_of(function)
    return entry.hparams is None and not entry.is_plain


@functools.lru_cache(maxsize=256)
def reads_any_local(function: ast.AST) -> bool:
    """Whether a function may read its variables by text: ``locals()``, ``eval(text)``."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and (node.func.id in _BY_TEXT or (node.func.id == "vars" and not node.args))
        for node in ast.walk(function)
    )
