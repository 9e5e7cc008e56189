"""P007: ``KerasDataAdapter`` becomes ``configure_fit``."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edit.making import Edit, expression
from pedl2det.facts.arguments import arguments_of
from pedl2det.facts.occurrences import Occurrence
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow.loaders import Role, pair_of, returns_of, roles_of
from pedl2det.plan import Plan
from pedl2det.rules.rule import CLASSES, Case, Rule, Safety, loaders
from pedl2det.tables.legacy import ADAPTERS

_PARAMETERS = ("sequence", "use_multiprocessing", "workers", "max_queue_size")


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite the adapters of ``make_data_loaders``."""
    settings: dict[Role, list[dict[str, str]]] = {role: [] for role in Role}
    for found in project.occurrences:
        call = found.call
        if (
            found.name not in ADAPTERS
            or found.ambiguous
            or call is None
            or plan.is_claimed(found.node)
        ):
            continue
        plan.claim(found.node)
        roles = roles_of(project, found.source, call, ADAPTERS)
        given = _settings_of(call)
        if given is not None and not _is_complete(call):
            message = f"expected a sequence and none but {', '.join(_PARAMETERS[1:])}"
            plan.refuse(RULE.id, found.source, call, message)
            continue
        if not roles or given is None:
            message = "it is used for something other than being returned as a loader"
            plan.refuse(RULE.id, found.source, call, message)
            continue
        role = Role.TRAINING if Role.TRAINING in roles else Role.VALIDATION
        settings[role].append({name: found.source.segment(value) for name, value in given.items()})
        if role is Role.TRAINING and len(settings[role]) > 1:
            message = "more than one adapter: which of them reads the training data depends"
            plan.refuse(RULE.id, found.source, call, message)
        _plan_call(plan, found, call, given, role)
        if role is Role.TRAINING:
            _note_processes(plan, found.source, call, given)
    _note_difference(project, plan, settings)


def _settings_of(call: ast.Call) -> dict[str, ast.expr] | None:
    """The settings of an adapter by name; None if they are not all visible."""
    given = arguments_of(call, _PARAMETERS)
    if given is None:
        return None
    return {name: value for name, value in given.items() if name not in ("sequence", "data")}


def _is_complete(call: ast.Call) -> bool:
    """Whether a call gives a sequence, and nothing that an adapter does not take."""
    named = [keyword.arg for keyword in call.keywords]
    known = {*_PARAMETERS[len(call.args) :], *(() if call.args else ("data",))}
    has_sequence = bool(call.args) or any(name in ("sequence", "data") for name in named)
    return has_sequence and len(call.args) <= len(_PARAMETERS) and known.issuperset(named)


def _plan_call(
    plan: Plan, found: Occurrence, call: ast.Call, given: dict[str, ast.expr], role: Role
) -> None:
    source = found.source
    statement = source.names.statement_of(call)
    training = role is Role.TRAINING
    context = "context"
    if training and given:
        context = plan.context(RULE.id, source, call, "an adapter is made here") or context
    if not training:
        for value in given.values():
            plan.drop(value)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
            if _is_name(call, name):
                # train = KerasDataAdapter(train, ...): the statement has done its work.
                plan.line(
                    RULE.id, source, statement, _into_settings(context) if training else _away
                )
                return
            if training and not _is_always_returned(source, call, name):
                message = f"{name} is returned on some paths alone, and its workers are for all"
                plan.refuse(RULE.id, source, call, message)
    settings: list[Any] = []

    def take_out(updated: Any) -> Any:
        settings.extend(_settings(updated))
        return _sequence(updated)

    def put_before(line: Any) -> Any:
        if not settings:
            return line
        plain = [
            argument.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=_NO_SPACE)
            for argument in settings
        ]
        configured = cst.Expr(cst.Call(expression(f"{context}.configure_fit"), plain))
        first = cst.SimpleStatementLine([configured], leading_lines=line.leading_lines)
        return cst.FlattenSentinel([first, line.with_changes(leading_lines=[])])

    plan.expression(RULE.id, source, call, take_out)
    if training and given:
        plan.line(RULE.id, source, statement, put_before)


def _note_processes(plan: Plan, source: Source, call: ast.Call, given: dict[str, ast.expr]) -> None:
    """Say that Determined's own end of such a training waits for processes that wait for it."""
    wanted = given.get("use_multiprocessing")
    if wanted is None or (isinstance(wanted, ast.Constant) and not wanted.value):
        return
    message = (
        "with use_multiprocessing Determined 0.38.1 itself may wait for ever when the training has "
        "ended and its last checkpoint is written; say False there (pedl2det run ends)"
    )
    plan.note(RULE.id, source, call, message)


def _is_always_returned(source: Source, call: ast.Call, name: str) -> bool:
    """Whether a function returns a name, alone or first of a pair, wherever it returns."""
    function = source.names.definition_around(call)
    assert isinstance(function, ast.FunctionDef)
    for node in returns_of(source, function):
        pair = pair_of(node.value)
        first = pair[0] if pair else node.value
        if not isinstance(first, ast.Name) or first.id != name:
            return False
    return True


def _is_name(call: ast.Call, name: str) -> bool:
    wrapped = call.args[0] if call.args else _wrapped_keyword(call)
    return isinstance(wrapped, ast.Name) and wrapped.id == name


def _wrapped_keyword(call: ast.Call) -> ast.expr | None:
    values = [k.value for k in call.keywords if k.arg in ("sequence", "data")]
    return values[0] if values else None


def _settings(call: Any) -> list[Any]:
    """The arguments of an adapter but the sequence, each with its keyword."""
    kept = []
    for index, argument in enumerate(call.args):
        name = argument.keyword.value if argument.keyword else _PARAMETERS[index]
        if name in ("sequence", "data"):
            continue
        if argument.keyword is None:
            argument = argument.with_changes(
                keyword=cst.Name(name), equal=cst.AssignEqual(_NO_SPACE, _NO_SPACE)
            )
        kept.append(argument)
    return kept


_NO_SPACE = cst.SimpleWhitespace("")


def _into_settings(context: str) -> Edit:
    def edit(line: Any) -> Any:
        call = line.body[0].value
        kept = _settings(call)
        if not kept:
            return _away(line)
        configured = call.with_changes(func=expression(f"{context}.configure_fit"), args=kept)
        return line.with_changes(body=[cst.Expr(configured)])

    return edit


def _away(line: Any) -> Any:
    """Nothing, or what keeps the comments above the line and the block it stands in."""
    if any(empty.comment for empty in line.leading_lines) or line.trailing_whitespace.comment:
        return line.with_changes(body=[cst.Pass()])
    return cst.RemoveFromParent()


def _sequence(call: Any) -> Any:
    return next(
        argument.value
        for argument in call.args
        if argument.keyword is None or argument.keyword.value in ("sequence", "data")
    )


def _note_difference(
    project: TrialProject, plan: Plan, settings: dict[Role, list[dict[str, str]]]
) -> None:
    training, validation = settings[Role.TRAINING], settings[Role.VALIDATION]
    if project.loader is not None and any(given not in training for given in validation):
        source, function = project.loader
        message = (
            "the validation loader had workers of its own; the context-based API reads both "
            "loaders with those of the training loader, and the batches are the same"
        )
        plan.note(RULE.id, source, function, message)


_IMPORTS = "from pedl.frameworks.keras.data import KerasDataAdapter"

RULE = Rule(
    id="P007",
    name="data-adapter",
    doc="The workers of a KerasDataAdapter are given to configure_fit; the Sequence in it is "
    "returned as it is.",
    safety=Safety.SAFE,
    plan=plan,
    generations=CLASSES,
    cases=(
        Case(
            loaders(
                "if fast:\n"
                "    train = KerasDataAdapter(train, workers=2, use_multiprocessing=True)\n"
                "return train, val\n",
                _IMPORTS,
            ),
            {
                "data.py": loaders(
                    "if fast:\n"
                    "    context.configure_fit(workers=2, use_multiprocessing=True)\n"
                    "return train, val\n",
                    _IMPORTS,
                )["data.py"]
            },
            says="0.38.1 itself may wait for ever",
        ),
        Case(
            loaders(
                "return KerasDataAdapter(train, True, 2), KerasDataAdapter(val, workers=4)\n",
                _IMPORTS,
            ),
            {
                "data.py": loaders(
                    "context.configure_fit(use_multiprocessing=True, workers=2)\n"
                    "return train, val\n",
                    _IMPORTS,
                )["data.py"]
            },
            says="the validation loader had workers of its own",
        ),
        Case(
            loaders(
                "train = KerasDataAdapter(train, True, 2)\n"
                "if slow:\n    train = KerasDataAdapter(train)\n"
                "return train, val\n",
                _IMPORTS,
            ),
            {},
            says="more than one adapter",
        ),
        Case(
            loaders("return load(0), load(1)\n", _IMPORTS)
            | {
                "data.py": f"{_IMPORTS}\n\n\ndef load(part):\n"
                "    return KerasDataAdapter(rows(part), workers=2)\n\n\n"
                "def make_data_loaders(config, hparams):\n    return load(0), load(1)\n"
            },
            {
                "data.py": f"{_IMPORTS}\n\n\ndef load(context, part):\n"
                "    context.configure_fit(workers=2)\n    return rows(part)\n\n\n"
                "def make_data_loaders(config, hparams):\n"
                "    return load(context, 0), load(context, 1)\n"
            },
        ),
        Case(
            loaders(
                "fast = KerasDataAdapter(train, workers=2)\n"
                "if slow:\n    return train, val\n"
                "return fast, val\n",
                _IMPORTS,
            ),
            {},
            says="fast is returned on some paths alone",
        ),
        Case(
            loaders("return KerasDataAdapter(workers=2), val\n", _IMPORTS),
            {},
            says="expected a sequence and none but use_multiprocessing, workers, max_queue_size",
        ),
        Case(
            loaders("return KerasDataAdapter(train, True, 1, 2, 3), val\n", _IMPORTS),
            {},
            says="expected a sequence and none but",
        ),
        Case(
            loaders("adapter = KerasDataAdapter(train)\nreturn wrap(adapter), val\n", _IMPORTS),
            {},
            says="used for something other",
        ),
    ),
)
