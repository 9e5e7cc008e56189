"""How the arguments of a call fill the parameters of a function that is written out."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edits.locate import Locator
from pedl2det.engine.lowering.blocks import closed
from pedl2det.engine.lowering.fit_call import members_of
from pedl2det.engine.lowering.fits import Fits, receiver
from pedl2det.engine.lowering.walk import read_names


def arguments_of(
    fits: Fits, call: ast.Call, function: ast.FunctionDef
) -> list[tuple[ast.arg, ast.expr]] | None:
    """Each parameter with the expression that fills it."""
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    given = function.args
    named = {one.arg for one in [*given.args, *given.kwonlyargs]}
    for keyword in call.keywords:
        if keyword.arg is None:  # **options, of which none fills a parameter
            members = members_of(fits, keyword.value) if given.kwarg is not None else None
            if members is None or named & members.keys():
                return None
    positional = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(given.defaults))
    default_of = dict(zip(positional, [*defaults, *given.defaults], strict=True))
    default_of |= dict(zip(given.kwonlyargs, given.kw_defaults, strict=True))
    filled: dict[ast.arg, ast.expr] = {}
    own = receiver(fits, call, function)
    places = list(positional)
    if own is not None:
        filled[places.pop(0)] = own
    if len(call.args) > len(places) and given.vararg is None:
        return None
    filled |= dict(zip(places, call.args, strict=False))
    by_name = {one.arg: one for one in [*positional, *given.kwonlyargs]}
    for keyword in call.keywords:
        if keyword.arg is None:
            continue
        if keyword.arg in by_name:
            filled[by_name[keyword.arg]] = keyword.value
        elif given.kwarg is None:
            return None
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


def collected(
    fits: Fits, call: ast.Call, function: ast.FunctionDef, locator: Locator
) -> list[tuple[str, Any]]:
    """What ``*args`` and ``**options`` of a function collect, as code of libcst."""
    given = function.args
    found: list[tuple[str, Any]] = []
    read = read_names(function.body)
    if given.vararg is not None and given.vararg.arg in read:
        own = receiver(fits, call, function) is not None
        first = len(given.posonlyargs) + len(given.args) - own
        parts = [cst.Element(closed(locator.expression(one))) for one in call.args[first:]]
        found.append((given.vararg.arg, cst.Tuple(parts)))
    if given.kwarg is not None and given.kwarg.arg in read:
        names = {one.arg for one in [*given.args, *given.kwonlyargs]}
        extra = [one for one in call.keywords if one.arg not in names]
        tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        args = []
        for one in extra:
            value: Any = locator.expression(one.value)
            if one.arg is None:
                args.append(cst.Arg(value, star="**"))
            else:
                args.append(cst.Arg(value, cst.Name(one.arg), equal=tight))
        found.append((given.kwarg.arg, cst.Call(cst.Name("dict"), args)))
    return found
