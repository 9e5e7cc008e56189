"""Decorators of a project that call a function with the arguments that they are given."""

from __future__ import annotations

import ast

Function = ast.FunctionDef | ast.AsyncFunctionDef


def hands_on(decorator: ast.AST) -> bool:
    """Tell whether a function is a decorator that changes nothing of a call and its value.

    It returns an inner function of ``*args, **kwargs``, which does nothing with these but
    ``return function(*args, **kwargs)``.
    """
    if not isinstance(decorator, ast.FunctionDef) or len(decorator.args.args) != 1:
        return False
    given = decorator.args.args[0].arg
    inner = [one for one in decorator.body if isinstance(one, ast.FunctionDef)]
    returned = [one.value for one in decorator.body if isinstance(one, ast.Return)]
    return (
        len(inner) == len(returned) == 1
        and isinstance(returned[0], ast.Name)
        and returned[0].id == inner[0].name
        and _calls_alike(inner[0], given)
    )


def _calls_alike(wrapper: ast.FunctionDef, function: str) -> bool:
    """Whether a wrapper returns nothing but the function's value for its own arguments."""
    args, kwargs = wrapper.args.vararg, wrapper.args.kwarg
    named = [*wrapper.args.posonlyargs, *wrapper.args.args, *wrapper.args.kwonlyargs]
    if args is None or kwargs is None or named:
        return False
    call = f"{function}(*{args.arg}, **{kwargs.arg})"
    body = [node for statement in wrapper.body for node in ast.walk(statement)]
    reads = [one.id for one in body if isinstance(one, ast.Name)]
    calls = [one for one in body if isinstance(one, ast.Call) and ast.unparse(one) == call]
    results = {
        one.targets[0].id
        for one in body
        if isinstance(one, ast.Assign)
        and one.value in calls
        and isinstance(one.targets[0], ast.Name)
    }
    returned = [one.value for one in body if isinstance(one, ast.Return)]
    return (
        bool(calls)
        and reads.count(args.arg) == reads.count(kwargs.arg) == len(calls)
        and not any(isinstance(one, ast.Yield | ast.YieldFrom) for one in body)
        and bool(returned)
        and all(
            one in calls
            or (isinstance(one, ast.Name) and one.id in results and _is_bound_once(body, one.id))
            for one in returned
        )
    )


def _is_bound_once(body: list[ast.AST], name: str) -> bool:
    stores = [one for one in body if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    return [one.id for one in stores].count(name) == 1
