"""P009: optimizers that mean what they meant."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edit.making import expression, statements
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.plan import Plan
from pedl2det.rules.rule import OLD, Case, Rule, Safety, trial
from pedl2det.tables.keras_names import OPTIMIZERS as MODULE
from pedl2det.tables.keras_names import public

OPTIMIZERS = {"Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop", "SGD"}


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite optimizers of ``tf.keras`` in every file of the trial."""
    for source in project.sources.values():
        for node in source.names.of(ast.ImportFrom, ast.Attribute, ast.Call, ast.Name):
            if (
                isinstance(node, ast.ImportFrom)
                and not node.level
                and public(node.module) == MODULE
            ):
                _plan_import(plan, source, node)
            elif isinstance(node, ast.Attribute) and _is_optimizer(source, node):
                plan.expression(RULE.id, source, node, _in_legacy)
            elif isinstance(node, ast.Call) and _is_optimizer(source, node.func):
                _plan_keyword(plan, source, node)
            elif (
                isinstance(node, ast.Call)
                and public(source.names.qualified(node.func)) == f"{MODULE}.get"
            ):
                plan.expression(RULE.id, source, node, _get_legacy)
            if _is_unresolved(project, source, node):
                message = f"{ast.unparse(node)}: which optimizer this is cannot be seen here"
                plan.refuse(RULE.id, source, node, message)
            if _is_bare_module(source, node):
                message = "which optimizer is meant is computed: name it, or take it from legacy"
                plan.refuse(RULE.id, source, node, message)


def _is_optimizer(source: Source, node: ast.AST) -> bool:
    module, _, name = public(source.names.qualified(node)).rpartition(".")
    return module == MODULE and name in OPTIMIZERS


def _is_unresolved(project: TrialProject, source: Source, node: ast.AST) -> bool:
    """Whether this looks like an optimizer of Keras that no import tells to be one.

    ``x.optimizers.SGD`` with an unknown ``x``, or ``SGD(lr=...)`` with an unknown ``SGD``.
    """
    match node:
        case ast.Attribute(value=ast.Attribute(attr="optimizers") | ast.Name(id="optimizers")):
            expression: ast.expr = node
        case ast.Call(func=ast.Name() | ast.Attribute() as func, keywords=keywords) if any(
            keyword.arg in ("lr", "decay") for keyword in keywords
        ):
            expression = func
        case _:
            return False
    name = expression.attr if isinstance(expression, ast.Attribute) else ast.unparse(expression)
    if name not in OPTIMIZERS:
        return False
    meaning = source.names.qualified(expression)
    root = (meaning or "").lstrip(".").partition(".")[0]
    return meaning is None or root in project.sources


def _is_bare_module(source: Source, node: ast.AST) -> bool:
    """Whether the module is used as a value: ``getattr(optimizers, name)``."""
    return (
        isinstance(node, ast.Name | ast.Attribute)
        and not isinstance(source.names.parents[node], ast.Attribute)
        and public(source.names.qualified(node)) == MODULE
    )


def _plan_import(plan: Plan, source: Source, node: ast.ImportFrom) -> None:
    names = {alias.name for alias in node.names}
    if not names & OPTIMIZERS or _is_guarded(source, node):
        return
    if names <= OPTIMIZERS:
        plan.line(RULE.id, source, node, _from_legacy)
    elif "*" in names:
        plan.refuse(RULE.id, source, node, "import * hides which optimizers are used")
    else:
        moved = [ast.unparse(alias) for alias in node.names if alias.name in OPTIMIZERS]
        text = f"from {MODULE}.legacy import {', '.join(moved)}\n"
        plan.line(RULE.id, source, node, _split(text))


def _is_guarded(source: Source, node: ast.ImportFrom) -> bool:
    """Whether this is what is imported where there is no ``legacy`` to import from."""
    handler = source.names.parents[node]
    guard = source.names.parents.get(handler)
    return (
        isinstance(handler, ast.ExceptHandler)
        and isinstance(guard, ast.Try)
        and any(
            isinstance(tried, ast.ImportFrom) and public(tried.module) == f"{MODULE}.legacy"
            for tried in guard.body
        )
    )


def _plan_keyword(plan: Plan, source: Source, call: ast.Call) -> None:
    def edit(updated: Any) -> Any:
        args = [
            argument.with_changes(keyword=cst.Name("learning_rate"))
            if argument.keyword is not None and argument.keyword.value == "lr"
            else argument
            for argument in updated.args
        ]
        return updated.with_changes(args=args)

    if any(keyword.arg == "lr" for keyword in call.keywords):
        plan.expression(RULE.id, source, call, edit)


def _in_legacy(attribute: Any) -> Any:
    legacy = cst.Attribute(attribute.value, cst.Name("legacy"))
    return attribute.with_changes(value=legacy)


def _get_legacy(call: Any) -> Any:
    flag = expression("f(use_legacy_optimizer=True)").args[0]
    return call.with_changes(args=[*call.args, flag])


def _from_legacy(line: Any) -> Any:
    statement = line.body[0].with_changes(module=expression(f"{MODULE}.legacy"))
    return line.with_changes(body=[statement])


def _split(text: str) -> Any:
    def edit(line: Any) -> Any:
        statement = line.body[0]
        kept = [name for name in statement.names if name.name.value not in OPTIMIZERS]
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        statement = statement.with_changes(module=expression(MODULE), names=kept)
        line = line.with_changes(body=[statement])
        return cst.FlattenSentinel([line, *statements(text)])

    return edit


_BASE = "from pedl.frameworks.keras import TFKerasTrial\n"

RULE = Rule(
    id="P009",
    name="legacy-optimizers",
    doc="Since Keras 2.11 an optimizer ignores lr= with a warning and refuses decay=. The classes "
    "in optimizers.legacy take both and compute what the old ones did.",
    safety=Safety.SAFE,
    plan=plan,
    generations=OLD,
    cases=(
        Case(
            trial(
                "opt = RMSprop(lr=0.1, decay=1e-6)\n",
                f"from tensorflow.keras.optimizers import RMSprop\n{_BASE}",
            ),
            trial(
                "opt = RMSprop(learning_rate=0.1, decay=1e-6)\n",
                f"from tensorflow.keras.optimizers.legacy import RMSprop\n{_BASE}",
            ),
        ),
        Case(
            trial("opt = tf.keras.optimizers.SGD(0.1)\n", f"import tensorflow as tf\n{_BASE}"),
            trial(
                "opt = tf.keras.optimizers.legacy.SGD(0.1)\n", f"import tensorflow as tf\n{_BASE}"
            ),
        ),
        Case(
            trial("opt = Adam()\n", f"from tensorflow.keras.optimizers import Adam, get\n{_BASE}"),
            trial(
                "opt = Adam()\n",
                "from tensorflow.keras.optimizers import get\n"
                f"from tensorflow.keras.optimizers.legacy import Adam\n{_BASE}",
            ),
        ),
        Case(
            trial(
                "opt = optimizers.get(name)\n", f"from tensorflow.keras import optimizers\n{_BASE}"
            ),
            trial(
                "opt = optimizers.get(name, use_legacy_optimizer=True)\n",
                f"from tensorflow.keras import optimizers\n{_BASE}",
            ),
        ),
        Case(
            trial(
                "opt = getattr(optimizers, name)()\n",
                f"from tensorflow.keras import optimizers\n{_BASE}",
            ),
            {},
            says="which optimizer is meant is computed",
        ),
        Case(
            trial(
                "opt = keras.optimizers.SGD(lr=0.1)\n",
                f"import tensorflow as tf\n{_BASE}\nkeras = tf.keras\n",
            ),
            trial(
                "opt = keras.optimizers.legacy.SGD(learning_rate=0.1)\n",
                f"import tensorflow as tf\n{_BASE}\nkeras = tf.keras\n",
            ),
        ),
        Case(
            trial("opt = k.optimizers.SGD(0.1)\n", f"from common import k\n{_BASE}")
            | {"common.py": "import tensorflow.keras as k\n"},
            trial("opt = k.optimizers.legacy.SGD(0.1)\n", f"from common import k\n{_BASE}"),
        ),
        Case(
            trial(
                "opt = keras.optimizers.SGD(0.1)\n",
                "try:\n    from tensorflow import keras\nexcept ImportError:\n    import keras\n"
                f"{_BASE}",
            ),
            {},
            says="keras.optimizers.SGD: which optimizer this is cannot be seen here",
        ),
        Case(trial("opt = SGD(lr=0.1)\n", f"from torch.optim import SGD\n{_BASE}"), {}),
    ),
)
