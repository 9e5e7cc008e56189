"""P005: ``make_data_loaders`` stays one call, made by the trial."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det import where
from pedl2det.constructor import CONTEXT_CLASS, with_last_methods
from pedl2det.edits import becomes, expression, into_body
from pedl2det.plan import Plan
from pedl2det.project import TrialProject
from pedl2det.rules.rule import Case, Rule, Safety, loaders, trial
from pedl2det.source import Source

_METHODS = '''\
@cached_property
def data_loaders(self):
    """Training and validation data, from one call: they may share one shuffle."""
    return {call}(self.context)

def build_training_data_loader(self):
    training, _ = self.data_loaders
    return training

def build_validation_data_loader(self):
    _, validation = self.data_loaders
    return validation
'''
_ADDED = {"data_loaders", "build_training_data_loader", "build_validation_data_loader"}


def plan(project: TrialProject, plan: Plan) -> None:
    """Give the trial its loader methods and the function the context."""
    trial_source, trial_node = project.trial
    if project.loader is None:
        plan.refuse(
            RULE.id, trial_source, trial_node, "make_data_loaders was not found in this directory"
        )
        return
    source, function = project.loader
    if not _is_plain(plan, source, function) or not _is_free(project, plan):
        return
    if source is not trial_source:
        if _imports(project, source, trial_source):
            message = f"{source.path.name} and {trial_source.path.name} import each other"
            plan.refuse(RULE.id, source, function, message)
        plan.require(trial_source, f"from {project.module_of(source)} import {function.name}")
    plan.require(trial_source, "from functools import cached_property")
    call = function.name
    plan.definition(
        RULE.id, trial_source, trial_node, with_last_methods(_METHODS.format(call=call))
    )
    _plan_signature(plan, source, function)
    _plan_config(plan, source, function)


def _is_plain(plan: Plan, source: Source, function: ast.FunctionDef) -> bool:
    arguments = function.args
    problem = None
    if len(arguments.args) != 2 or arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        problem = "expected the signature make_data_loaders(experiment_config, hparams)"
    elif function.decorator_list:
        problem = "make_data_loaders is decorated"
    elif source.names.uses_name(function, "context"):
        problem = "make_data_loaders uses the name context already"
    if problem:
        plan.refuse(RULE.id, source, function, problem)
    return problem is None


def _is_free(project: TrialProject, plan: Plan) -> bool:
    """Whether the methods can be added and nobody else calls the function."""
    trial_source, trial_node = project.trial
    _, function = project.loader or (None, None)
    assert function is not None
    free = True
    for node in ast.walk(trial_node):
        named = getattr(node, "attr", None) or getattr(node, "name", None)
        named = node.id if isinstance(node, ast.Name) else named
        if named in _ADDED:
            plan.refuse(RULE.id, trial_source, node, f"the trial has {named} already")
            free = False
    for source in project.sources.values():
        for node in source.names.nodes:
            called = isinstance(node, ast.Call) and (
                (isinstance(node.func, ast.Name) and node.func.id == function.name)
                or (isinstance(node.func, ast.Attribute) and node.func.attr == function.name)
            )
            if called:
                message = f"{function.name} is called here, without a trial"
                plan.refuse(RULE.id, source, node, message)
                free = False
    return free


def _imports(project: TrialProject, source: Source, other: Source) -> bool:
    """Whether a module imports another of the directory, however far round."""
    seen: set[str] = set()
    todo = [project.module_of(source)]
    while todo:
        module = todo.pop()
        if module in seen or module not in project.sources:
            continue
        seen.add(module)
        if project.sources[module] is other:
            return True
        for node in project.sources[module].names.nodes:
            if isinstance(node, ast.ImportFrom) and node.module:
                todo.append(node.module)
            elif isinstance(node, ast.Import):
                todo += [alias.name for alias in node.names]
    return False


def _plan_signature(plan: Plan, source: Source, function: ast.FunctionDef) -> None:
    annotated = any(argument.annotation for argument in function.args.args)
    for argument in function.args.args:
        if argument.annotation:
            plan.drop(argument.annotation)

    def edit(updated: Any) -> Any:
        annotation = cst.Annotation(expression(CONTEXT_CLASS)) if annotated else None
        context = cst.Param(cst.Name("context"), annotation)
        params = updated.params.with_changes(params=[context])
        return updated.with_changes(
            params=params, whitespace_before_params=cst.SimpleWhitespace("")
        )

    if annotated:
        plan.require(source, f"from determined.keras import {CONTEXT_CLASS}")
    plan.definition(RULE.id, source, function, edit)


def _plan_config(plan: Plan, source: Source, function: ast.FunctionDef) -> None:
    """Rewrite what the function asks of ``experiment_config``."""
    name = function.args.args[0].arg
    uses = where.uses_of(source, function, name)
    keyed = [where.constant_key(source, use) for use in uses]
    if uses:
        where.refuse_moved_keys(plan, RULE.id)
    if not all(keyed):
        plan.definition(
            RULE.id, source, function, into_body(f"{name} = context.get_experiment_config()\n")
        )
        return
    for use, found in zip(uses, keyed, strict=True):
        assert found is not None
        whole, key, default = found
        is_empty = isinstance(default, ast.Dict) and not default.keys
        if key == "data" and (isinstance(whole, ast.Subscript) or is_empty):
            plan.expression(RULE.id, source, whole, becomes("context.get_data_config()"))
        else:
            plan.expression(RULE.id, source, use, becomes("context.get_experiment_config()"))


RULE = Rule(
    id="P005",
    name="data-loaders",
    doc="The trial calls make_data_loaders once and keeps both loaders. The function is not split: "
    "two calls would shuffle twice, and validation data would be trained on.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            loaders('return load(experiment_config["data"]["file"])\n', "from files import load"),
            {
                "model_def.py": trial(_METHODS.format(call="make_data_loaders"))[
                    "model_def.py"
                ].replace("class T(TFKerasTrial):\n", "class T(TFKerasTrial):\n    pass\n\n"),
                "data.py": "from files import load\n\n\ndef make_data_loaders(context):\n"
                '    return load(context.get_data_config()["file"])\n',
            },
        ),
        Case(
            loaders('return load(experiment_config["searcher"])\n', "from files import load"),
            {},
            says="searcher of the config is changed by its migration",
        ),
        Case(
            loaders("return load()\n", "from files import load")
            | {"tool.py": "from data import make_data_loaders\n\nmake_data_loaders({}, {})\n"},
            {},
            says="make_data_loaders is called here, without a trial",
        ),
        Case(trial("pass\n"), {}, says="make_data_loaders was not found"),
    ),
)
