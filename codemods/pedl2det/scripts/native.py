"""The Native API of early Determined: ``keras.init(config)``, and ``create(trial, config)``.

A script got its context from ``init``, and called ``fit``. A file with a trial submitted it with
``create``, which later releases do not have. Both had the experiment config in their code.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from pedl2det.analysis.flow import Flow
from pedl2det.analysis.flow.values import argument
from pedl2det.analysis.membership import CREATES, calls_of
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source
from pedl2det.scripts.generator import is_guard, is_pure

_KINDS = {"Integer": "int", "Double": "double", "Categorical": "categorical", "Log": "log"}
_PARAMETERS = {
    "Constant": ("val",),
    "Integer": ("minval", "maxval", "count"),
    "Double": ("minval", "maxval", "count"),
    "Log": ("minval", "maxval", "base", "count"),
    "Categorical": ("vals",),
}
#: Calls that change nothing, or only a parser of the script.
_OF_PARSERS = ("add_argument", "parse_args", "parse_known_args")
_LIBRARIES = ("argparse.", "determined.")


def create_of(source: Source, modules: Modules) -> tuple[ast.Expr, str] | None:
    """The statement that submits a trial of the project, and the trial as ``module:Class``."""
    for call in calls_of(source, CREATES):
        statement = source.names.parents[call]
        trial = argument(call, "trial_def", 0)
        meaning = modules.meaning(trial) if trial is not None else None
        definition = modules.definition(meaning) if meaning is not None else None
        if isinstance(statement, ast.Expr) and isinstance(definition, ast.ClassDef):
            return statement, f"{modules.name_of(modules.home(definition))}:{definition.name}"
    return None


def config_of(flow: Flow, node: ast.expr | None) -> dict[str, object] | None:
    """The value of an expression as an experiment config; None if it is computed or missing."""
    try:
        value = _value(flow, node)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _value(flow: Flow, node: ast.expr | None) -> object:
    """The value of literals, names for them, and hyperparameters; `ValueError` if computed."""
    origins = flow.origins(node) if node is not None else []
    if len(origins) != 1 or origins[0].path:
        raise ValueError("computed")
    match origins[0].node:
        case ast.List() | ast.Dict() as display if any(use.is_change for use in flow.uses(display)):
            raise ValueError("changed later")
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return {str(_value(flow, key)): _value(flow, value) for key, value in pairs}
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(flow, part) for part in parts]
        case ast.Call() as call:
            meaning = flow.modules.meaning(call.func) or ""
            kind = meaning.rpartition(".")[2]
            if not meaning.startswith("determined.") or kind not in _PARAMETERS:
                raise ValueError("computed")
            arguments = dict(zip(_PARAMETERS[kind], call.args, strict=False))
            arguments |= {
                str(keyword.arg).replace("value", "val"): keyword.value for keyword in call.keywords
            }
            result = {name: _value(flow, value) for name, value in arguments.items()}
            return result["val"] if kind == "Constant" else {"type": _KINDS[kind], **result}
        case literal:
            return ast.literal_eval(literal)


# Statements that only prepare another one.


def with_preparation(source: Source, modules: Modules, statement: ast.stmt) -> list[ast.stmt]:
    """A statement, and those that only prepare it: ``parser = ...``, ``config = {...}``.

    A main guard around nothing else is included.
    """
    used = {
        node.name if isinstance(node, ast.alias) else node.attr
        for other in modules
        if other is not source
        for node in other.names.of(ast.alias, ast.Attribute)
    }
    groups: dict[str, list[ast.stmt]] = defaultdict(list)
    for name, preparation in _preparations(source):
        if name not in used:
            groups[name].append(preparation)
    statements, more = [statement], [""]
    while more:
        gone = _below(statements)
        words = source.names.of(ast.Name)
        more = [
            name
            for name in groups.keys() & {word.id for word in words if word in gone}
            if {word for word in words if word.id == name} <= gone | _below(groups[name])
        ]
        statements += [preparation for name in more for preparation in groups.pop(name)]
    for guard in source.tree.body:
        if is_guard(guard) and gone.issuperset(guard.body):  # type: ignore[attr-defined]
            statements = [kept for kept in statements if kept not in guard.body]  # type: ignore[attr-defined]
            statements.append(guard)
    return statements


def _below(statements: list[ast.stmt]) -> set[ast.AST]:
    return {node for statement in statements for node in ast.walk(statement)}


def _preparations(source: Source) -> Iterator[tuple[str, ast.stmt]]:
    """Assignments without side effects, and method calls on what they bind, by name."""
    for statement in source.names.of(ast.Assign, ast.Expr):
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)])
                | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name))))
            ):
                calls = (node for node in ast.walk(statement.value) if isinstance(node, ast.Call))
                if all(
                    getattr(call.func, "attr", "") in _OF_PARSERS
                    or is_pure(source, call)
                    or (source.names.qualified(call.func) or "").startswith(_LIBRARIES)
                    for call in calls
                ):
                    yield name, statement
