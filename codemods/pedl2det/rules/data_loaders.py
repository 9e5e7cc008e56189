"""P005: ``make_data_loaders`` stays one call, made by the trial."""

from __future__ import annotations

import ast

from pedl2det.facts.project import TrialProject
from pedl2det.plan import Plan, entry
from pedl2det.plan.constructor import with_last_methods
from pedl2det.rules.rule import Case, Rule, Safety, loaders, trial

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
    if not entry.is_plain(plan, RULE.id, source, function) or not _is_free(project, plan):
        return
    entry.make_known(plan, RULE.id, source, function.name, trial_source)
    plan.require(trial_source, "from functools import cached_property")
    call = function.name
    plan.definition(
        RULE.id, trial_source, trial_node, with_last_methods(_METHODS.format(call=call))
    )
    entry.take_context(plan, RULE.id, source, function)


def _is_free(project: TrialProject, plan: Plan) -> bool:
    """Whether the methods can be added and nobody else calls the function."""
    _, function = project.loader or (None, None)
    assert function is not None
    free = True
    for trial_source, trial_node in project.line:
        for node in trial_source.names.below(trial_node):
            named = getattr(node, "attr", None) or getattr(node, "name", None)
            named = node.id if isinstance(node, ast.Name) else named
            if named in _ADDED:
                plan.refuse(RULE.id, trial_source, node, f"the trial has {named} already")
                free = False
    for source in project.sources.values():
        for node in source.names.of(ast.Call):
            if (isinstance(node.func, ast.Name) and node.func.id == function.name) or (
                isinstance(node.func, ast.Attribute) and node.func.attr == function.name
            ):
                message = f"{function.name} is called here, without a trial"
                plan.refuse(RULE.id, source, node, message)
                free = False
    return free


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
