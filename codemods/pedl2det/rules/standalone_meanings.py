"""P037: what standalone Keras 2.2.4 computed otherwise, under the same name."""

from __future__ import annotations

import ast

from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.plan import Plan
from pedl2det.rules.rule import OLD, Case, Rule, Safety, trial
from pedl2det.tables.keras_names import KERAS, OPTIMIZERS, public
from pedl2det.tables.legacy import STANDALONE_RATES

OTHER_LOSSES = {"hinge", "squared_hinge", "cosine", "cosine_proximity"}
_NAMES = {name.lower() for name in STANDALONE_RATES}


def plan(project: TrialProject, plan: Plan) -> None:
    """Refuse it wherever a trial uses standalone Keras."""
    if "keras" in project.sources or not any(map(_imports_it, project.sources.values())):
        return
    for source in project.sources.values():
        for node in source.names.of(ast.Call, ast.Constant, ast.Name, ast.Attribute):
            if isinstance(node, ast.Call):
                _check_call(plan, source, node)
            elif isinstance(node, ast.Constant) and node.value in OTHER_LOSSES:
                message = f"{node.value!r}: standalone Keras had another function of this name"
                plan.refuse(RULE.id, source, node, f"{message}: give a function of your own")
            elif isinstance(node, ast.Name | ast.Attribute):
                _check_loss(plan, source, node)


def _imports_it(source: Source) -> bool:
    modules = [
        module
        for node in source.names.of(ast.Import, ast.ImportFrom)
        for module in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""] * (not node.level)
        )
    ]
    return any(module.partition(".")[0] == "keras" for module in modules)


def _check_call(plan: Plan, source: Source, call: ast.Call) -> None:
    meaning = source.names.qualified(call.func) or ""
    said = {keyword.arg for keyword in call.keywords}
    name = meaning.rpartition(".")[2]
    new = public(meaning) if meaning.startswith("keras.") else ""
    problem = ""
    if new == f"{OPTIMIZERS}.{name}":
        if len(call.args) > 1:
            problem = "its arguments had another order: say them by name"
        elif said & {"clipnorm", None}:
            problem = "clipnorm was of all gradients together: take it from tf.keras, and say which"
        elif name == "Adagrad" and "initial_accumulator_value" not in said:
            problem = "its sums began at 0: take it from tf.keras, with initial_accumulator_value"
    elif new == f"{KERAS}.layers.{name}" and "Conv" in name and len(call.args) > 2:
        problem = "three numbers meant filters and a kernel of two sizes: say kernel_size="
    elif isinstance(call.func, ast.Attribute) and call.func.attr == "compile":
        given = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "optimizer")]
        if any(isinstance(one, ast.Constant) and str(one.value).lower() in _NAMES for one in given):
            problem = "the optimizer of this name had other defaults: give the optimizer itself"
    if problem:
        plan.refuse(RULE.id, source, call, f"{ast.unparse(call.func)} of Keras 2.2.4: {problem}")


def _check_loss(plan: Plan, source: Source, node: ast.Name | ast.Attribute) -> None:
    meaning = source.names.qualified(node) or ""
    if meaning.startswith("keras.") and meaning.rpartition(".")[2] in OTHER_LOSSES:
        message = f"{ast.unparse(node)} was another function: give one of your own"
        plan.refuse(RULE.id, source, node, message)


_BASE = "from pedl.frameworks.keras import TFKerasTrial\n"
_KERAS = f"import keras\n{_BASE}"


def _case(code: str, says: str) -> Case:
    return Case(trial(f"x = {code}\n", _KERAS), {}, says=says)


RULE = Rule(
    id="P037",
    name="standalone-meanings",
    doc="Some names of standalone Keras 2.2.4 compute something else today: the order of an "
    "optimizer's arguments, clipnorm, Adagrad's start, hinge losses, kernels given as two numbers, "
    "optimizers by name. They need a person.",
    safety=Safety.PERSON,
    plan=plan,
    generations=OLD,
    cases=(
        _case("keras.optimizers.SGD(0.1, 0.9, 1e-4)", "its arguments had another order"),
        _case("keras.optimizers.Adam(clipnorm=1.0)", "clipnorm was of all gradients together"),
        _case("keras.optimizers.Adagrad()", "its sums began at 0"),
        _case("keras.layers.Conv2D(32, 3, 3)", "three numbers meant filters and a kernel"),
        _case("model.compile('adadelta', 'mse')", "the optimizer of this name had other defaults"),
        _case("model.compile('sgd', 'hinge')", "'hinge': standalone Keras had another function"),
        _case("keras.losses.squared_hinge", "keras.losses.squared_hinge was another function"),
        Case(trial("x = keras.optimizers.SGD(0.1), keras.layers.Conv2D(3, 3)\n", _KERAS), {}),
        Case(trial("model.compile('adadelta', 'hinge')\n", _BASE), {}),
        Case(
            trial("x = keras.optimizers.SGD(0.1, 0.9)\n", f"from tensorflow import keras\n{_BASE}"),
            {},
        ),
    ),
)
