"""How the old harness called ``make_data_loaders`` and ``download_data``.

It passed the experiment config and the hyperparameters by position. A function that takes less got
the parameters that it names.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass

CONFIG, HPARAMS = "experiment_config", "hparams"
_BY_TEXT = ("locals", "eval", "exec")


@dataclass(frozen=True)
class Entry:
    """The parameters of a function that the old harness called.

    Attributes:
        config: the parameter that got the experiment config.
        hparams: the parameter that got the hyperparameters.
        arguments: the arguments of the old call, such as ``{config}, hparams={hparams}``.
        is_plain: whether the function can be called without both once they are dropped.
    """

    config: ast.arg | None
    hparams: ast.arg | None
    arguments: str
    is_plain: bool


def entry_of(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Entry:
    """How the old harness called a function."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if len(positional) < 2 and arguments.vararg is None:
        return _by_name(function, positional)
    config, hparams = [*positional, None, None][:2]
    needed = len(positional) - len(arguments.defaults)
    is_plain = not reads_any_local(function)
    is_plain &= needed <= 2 and all(one is not None for one in arguments.kw_defaults)
    if len(positional) < 2 and _reads(function, arguments.vararg):
        is_plain = False
    return Entry(config, hparams, "{config}, {hparams}", is_plain)


@functools.lru_cache(maxsize=256)
def reads_any_local(function: ast.AST) -> bool:
    """Whether a function may read its variables by text: ``locals()``, ``eval(text)``."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and (node.func.id in _BY_TEXT or (node.func.id == "vars" and not node.args))
        for node in ast.walk(function)
    )


def _by_name(
    function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, positional: list[ast.arg]
) -> Entry:
    """The call of a function that does not take two arguments by position."""
    arguments = function.args
    left = {CONFIG: "{config}", HPARAMS: "{hparams}"}
    found: dict[str, ast.arg] = {}
    call: list[str] = []
    for one in positional:
        if one.arg in left or not arguments.defaults:
            name = one.arg if one.arg in left else CONFIG
            found[name] = one
            call.append(left.pop(name))
    for one in arguments.kwonlyargs:
        if one.arg in left:
            found[one.arg] = one
            call.append(f"{one.arg}={left.pop(one.arg)}")
    is_plain = not (arguments.kwarg is not None and _reads(function, arguments.kwarg))
    if arguments.kwarg is not None:
        call += [f"{name}={value}" for name, value in left.items()]
    others = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    is_plain &= all(one in found.values() or default is not None for one, default in others)
    return Entry(found.get(CONFIG), found.get(HPARAMS), ", ".join(call), is_plain)


def _reads(function: ast.AST, parameter: ast.arg | None) -> bool:
    return parameter is not None and any(
        isinstance(node, ast.Name) and node.id == parameter.arg for node in ast.walk(function)
    )
