"""P004: ``pedl.get_*`` becomes a question to the context."""

from __future__ import annotations

import ast

from pedl2det import where
from pedl2det.edits import becomes, method_of
from pedl2det.legacy import NAMES
from pedl2det.plan import Plan
from pedl2det.project import Occurrence, TrialProject
from pedl2det.rules.rule import Case, Rule, Safety, trial

GET_HYPERPARAMETER = "pedl.get_hyperparameter"


def plan(project: TrialProject, plan: Plan) -> None:
    """Rewrite the calls of getters where the context is within reach."""
    for found in project.occurrences:
        legacy = NAMES.get(found.name)
        asked = found.name == GET_HYPERPARAMETER or (
            legacy is not None and legacy.becomes is not None and "{context}" in legacy.becomes
        )
        call = found.call
        if not asked or found.ambiguous or call is None or plan.is_claimed(found.node):
            continue
        context = where.context_in(project, found.source, found.node)
        if context is None:
            plan.refuse(
                RULE.id,
                found.source,
                call,
                f"{found.name} is called outside of the trial and make_data_loaders, where the "
                "context is out of reach: pass the value as an argument",
            )
            plan.claim(found.node)
        elif found.name == GET_HYPERPARAMETER:
            _plan_hyperparameter(plan, found, call, context)
        else:
            assert legacy is not None and legacy.becomes is not None
            _plan_getter(plan, found, call, legacy.becomes.format(context=context))


def _plan_hyperparameter(plan: Plan, found: Occurrence, call: ast.Call, context: str) -> None:
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    plan.claim(found.node)
    match arguments:
        case [ast.Constant(value="batch_size")]:
            text = f"{context}.get_per_slot_batch_size()"
            plan.expression(RULE.id, found.source, call, becomes(text))
        case [ast.Constant(value=str())] if where.catches_key_error(
            found.source.names.function_of(call) or call
        ):
            message = "a missing hyperparameter is expected here as KeyError: the context's differs"
            plan.refuse(RULE.id, found.source, call, message)
        case [ast.Constant(value=str())]:
            plan.expression(
                RULE.id,
                found.source,
                call,
                lambda updated: method_of(context, "get_hparam", updated.args[0].value),
            )
        case _:
            message = "the name of the hyperparameter is computed: it might be batch_size"
            plan.refuse(RULE.id, found.source, call, message)


def _plan_getter(plan: Plan, found: Occurrence, call: ast.Call, text: str) -> None:
    plan.claim(found.node)
    if found.name == "pedl.get_experiment_config":
        where.refuse_moved_keys(plan, RULE.id)
    plan.expression(RULE.id, found.source, call, becomes(text))


RULE = Rule(
    id="P004",
    name="run-getters",
    doc="pedl.get_hyperparameter and the other getters become methods of the context.",
    safety=Safety.SAFE,
    plan=plan,
    cases=(
        Case(
            trial(
                "def build_model(self, hparams):\n"
                '    units = pedl.get_hyperparameter("units")\n'
                "    return units, pedl.get_trial_seed()\n",
                "import pedl\nfrom pedl.frameworks.keras import TFKerasTrial",
            ),
            trial(
                "def build_model(self, hparams):\n"
                '    units = self.context.get_hparam("units")\n'
                "    return units, self.context.get_trial_seed()\n",
                "import pedl\nfrom pedl.frameworks.keras import TFKerasTrial",
            ),
        ),
        Case(
            trial("pass\n") | {"nets.py": 'import pedl\n\nUNITS = pedl.get_hyperparameter("u")\n'},
            {},
            says="outside of the trial and make_data_loaders",
        ),
        Case(
            trial("pass\n") | {"nets.py": "def get_hyperparameter(name):\n    return name\n"},
            {},
        ),
    ),
)
