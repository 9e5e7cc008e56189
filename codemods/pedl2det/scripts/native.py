"""The Native API of early Determined: ``keras.init(config)``, and ``create(trial, config)``.

A script asked ``init`` for its context, and called ``fit``. A file with a trial submitted it by
``create``, which no later release had. Both held the experiment config in their code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pedl2det.analysis.flow import Flow
from pedl2det.analysis.membership import CREATES, INITS, calls_of
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source
from pedl2det.scripts.generator import is_guard

_KINDS = {"Integer": "int", "Double": "double", "Categorical": "categorical", "Log": "log"}
_PARAMETERS = {
    "Constant": ("val",),
    "Integer": ("minval", "maxval", "count"),
    "Double": ("minval", "maxval", "count"),
    "Log": ("minval", "maxval", "base", "count"),
    "Categorical": ("vals",),
}
#: Calls without an effect but on what they return.
_PREPARING = ("argparse.", "collections.", "determined.", "pathlib.")
_BUILTINS = {"dict", "int", "list", "str"}


def init_of(source: Source) -> tuple[ast.Assign, str] | None:
    """The statement by which a script itself asks for a context, and the context's name."""
    for call in calls_of(source, INITS):
        match source.names.parents[call]:
            case ast.Assign(targets=[ast.Name(id=name)]) as statement:
                if source.names.definition_around(call) is None:
                    return statement, name
    return None


def create_of(source: Source, modules: Modules) -> tuple[ast.Expr, str] | None:
    """The statement that submits a trial of the project, and the trial as ``module:Class``."""
    for call in calls_of(source, CREATES):
        statement = source.names.parents[call]
        trial = argument(call, "trial_def", 0)
        meaning = modules.meaning(trial) if trial is not None else None
        found = modules.definition(meaning) if meaning is not None else None
        if isinstance(statement, ast.Expr) and isinstance(found, ast.ClassDef):
            return statement, f"{modules.name_of(modules.home(found))}:{found.name}"
    return None


def argument(call: ast.Call, name: str, place: int) -> ast.expr | None:
    """An argument of a call."""
    given = next((one.value for one in call.keywords if one.arg == name), None)
    return given or next(iter(call.args[place : place + 1]), None)


# The config.


def config_of(flow: Flow, node: ast.expr) -> dict[str, object] | None:
    """The experiment config that an expression is; None if it is computed."""
    try:
        value = _value(flow, node)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _value(flow: Flow, node: ast.expr | None) -> object:
    """The value of literals, of names for them, and of hyperparameters.

    Raises:
        ValueError: it is computed.
    """
    origins = flow.origins(node) if node is not None else []
    if len(origins) != 1 or origins[0].path:
        raise ValueError("computed")
    match origins[0].node:
        case (ast.Dict() | ast.List()) as display if any(u.is_change for u in flow.uses(display)):
            raise ValueError("changed later")
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return {str(_value(flow, key)): _value(flow, value) for key, value in pairs}
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(flow, one) for one in parts]
        case ast.Call() as call:
            meaning = flow.modules.meaning(call.func) or ""
            kind = meaning.rpartition(".")[2]
            if not meaning.startswith("determined.") or kind not in _PARAMETERS:
                raise ValueError("computed")
            given = dict(zip(_PARAMETERS[kind], call.args, strict=False))
            given |= {str(one.arg).replace("value", "val"): one.value for one in call.keywords}
            found = {name: _value(flow, value) for name, value in given.items()}
            return found["val"] if kind == "Constant" else {"type": _KINDS[kind], **found}
        case literal:
            return ast.literal_eval(literal)


# What goes with a statement.


def with_preparation(source: Source, modules: Modules, statement: ast.stmt) -> list[ast.stmt]:
    """A statement, and those that only prepare it: ``parser = ...``, ``config = {...}``.

    A main guard of nothing else goes, too.
    """
    gone: set[ast.AST] = {*ast.walk(statement)}
    statements = [statement]
    used = {
        one.name if isinstance(one, ast.alias) else one.attr
        for other in modules
        if other is not source
        for one in other.names.of(ast.alias, ast.Attribute)
    }
    while True:
        read = {one.id for one in gone if isinstance(one, ast.Name)} - used
        groups: dict[str, list[ast.stmt]] = {name: [] for name in read}
        for name, one in _preparations(source):
            if name in read and one not in gone:
                groups[name].append(one)
        more = [
            one
            for name, group in groups.items()
            if all(node in gone for node in _reads_beside(source, name, group))
            for one in group
        ]
        if not more:
            break
        statements += more
        gone |= {node for one in more for node in ast.walk(one)}
    for guard in source.tree.body:
        if is_guard(guard) and gone.issuperset(guard.body):  # type: ignore[attr-defined]
            statements = [one for one in statements if one not in guard.body]  # type: ignore[attr-defined]
            statements.append(guard)
    return statements


def _reads_beside(source: Source, name: str, group: list[ast.stmt]) -> Iterator[ast.Name]:
    """Where a name stands outside of some statements."""
    inside = {node for one in group for node in ast.walk(one)}
    for node in source.names.of(ast.Name):
        if node.id == name and node not in inside:
            yield node


def _preparations(source: Source) -> Iterator[tuple[str, ast.stmt]]:
    """Assignments without side effects, and calls of methods of what they bind."""
    for one in source.names.of(ast.Assign, ast.Expr):
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name))) as value):
                pass
            case _:
                continue
        calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
        if all(_only_prepares(source, call) for call in calls):
            yield name, one


def _only_prepares(source: Source, call: ast.Call) -> bool:
    """Whether a call has no effect but on what it returns, or on a parser of the script."""
    match call.func:
        case ast.Name(id=name) if source.names.binder(call.func) is None:
            return name in _BUILTINS
        case ast.Attribute(attr="add_argument" | "parse_args" | "parse_known_args"):
            return True
    return (source.names.qualified(call.func) or "").startswith(_PREPARING)
