"""P004: ``pedl.get_*`` becomes a question to the context."""

from __future__ import annotations

import ast

from pedl2det.edit.making import becomes
from pedl2det.facts.occurrences import Occurrence
from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow import where
from pedl2det.plan import Plan
from pedl2det.plan.moved_keys import refuse_moved_keys
from pedl2det.rules.rule import UNDER_PEDL, Case, Rule, Safety, trial
from pedl2det.tables.legacy import GET_HYPERPARAMETER, NAMES


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
        context = plan.context(RULE.id, found.source, call, f"{found.name} is called here")
        if context is None:
            plan.claim(found.node)
        elif found.name == GET_HYPERPARAMETER:
            _plan_hyperparameter(plan, found, call, context)
        else:
            assert legacy is not None and legacy.becomes is not None
            _plan_getter(plan, found, call, legacy.becomes.format(context=context))


def _plan_hyperparameter(plan: Plan, found: Occurrence, call: ast.Call, context: str) -> None:
    plan.claim(found.node)
    text = getter_text(found.source, call, context)
    if text is None:
        message = "the name of the hyperparameter is computed: it might be batch_size"
        plan.refuse(RULE.id, found.source, call, message)
    elif where.catches_key_error(found.source, found.source.names.function_of(call) or call):
        message = "a missing hyperparameter is expected here as KeyError: the context's differs"
        plan.refuse(RULE.id, found.source, call, message)
    else:
        plan.expression(RULE.id, found.source, call, becomes(text))


def _plan_getter(plan: Plan, found: Occurrence, call: ast.Call, text: str) -> None:
    plan.claim(found.node)
    if found.name == "pedl.get_experiment_config":
        refuse_moved_keys(plan, RULE.id)
    plan.expression(RULE.id, found.source, call, becomes(text))


def getter_text(source: Source, call: ast.Call, context: str) -> str | None:
    """The question to the context that a call of a getter becomes, if it is such a call."""
    name = source.names.qualified(call.func) or ""
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    legacy = NAMES.get(name)
    match arguments:
        case [ast.Constant(value=str(hparam)) as given] if name == GET_HYPERPARAMETER:
            if hparam == "batch_size":
                return f"{context}.get_per_slot_batch_size()"
            return f"{context}.get_hparam({source.segment(given)})"
        case [] if legacy is not None and "{context}" in (legacy.becomes or ""):
            assert legacy.becomes is not None
            return legacy.becomes.format(context=context)
    return None


_BASE = "from pedl.frameworks.keras import TFKerasTrial"


def _reached_case(imports: str, says: str) -> Case:
    """A function that would be given the context, and a file that does more than call it."""
    code = 'import pedl\n\n\ndef units():\n    return pedl.get_hyperparameter("units")\n'
    return Case(trial("pass\n", f"{imports}\n{_BASE}") | {"nets.py": code}, {}, says=says)


def _made_case(method: str, is_safe: bool = False) -> Case:
    """A class that would be given the context, and how it may be made by itself."""
    asks = 'self.n = pedl.get_hyperparameter("units")'
    code = f"import pedl\n\n\nclass A:\n    def __init__(self):\n        {asks}\n\n    {method}\n"
    before = trial(
        "def build_model(self, hparams):\n    return A()\n", f"{_BASE}\nfrom nets import A"
    )
    if not is_safe:
        return Case(before | {"nets.py": code}, {}, says="A may be made here without its name")
    after = {name: text.replace("A()", "A(self.context)") for name, text in before.items()}
    given = code.replace("(self):\n        self", "(self, context):\n        self")
    given = given.replace('pedl.get_hyperparameter("units")', 'context.get_hparam("units")')
    return Case(before | {"nets.py": code}, after | {"nets.py": given})


RULE = Rule(
    id="P004",
    name="run-getters",
    doc="pedl.get_hyperparameter and the other getters become methods of the context, which is "
    "handed on to functions that ask, from each of their callers.",
    safety=Safety.SAFE,
    plan=plan,
    generations=UNDER_PEDL,
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
            trial(
                "def build_model(self, hparams):\n    return nets.dense(3)\n",
                "import nets\nfrom pedl.frameworks.keras import TFKerasTrial",
            )
            | {
                "nets.py": "import pedl\n\n\ndef dense(n: int):\n"
                "    return [units() for _ in range(n)]"
                '\n\n\ndef units():\n    return pedl.get_hyperparameter("units")\n'
            },
            trial(
                "def build_model(self, hparams):\n    return nets.dense(self.context, 3)\n",
                "import nets\nfrom pedl.frameworks.keras import TFKerasTrial",
            )
            | {
                "nets.py": "import pedl\n\n\ndef dense(context: TFKerasTrialContext, n: int):\n"
                "    return [units(context) for _ in range(n)]"
                '\n\n\ndef units(context):\n    return context.get_hparam("units")\n'
            },
        ),
        Case(
            trial("pass\n")
            | {"nets.py": 'import pedl\n\nUNITS = [pedl.get_hyperparameter("u")]\n'},
            {},
            says="out of reach: it is evaluated while a module is imported (nets.py:3)",
        ),
        Case(
            trial("pass\n")
            | {
                "nets.py": "import pedl\n\n\ndef units(_):\n"
                '    return pedl.get_hyperparameter("u")\n\n\nUNITS = map(units, [1])\n'
            },
            {},
            says="units is handed on here, not called (nets.py:8)",
        ),
        _reached_case(
            "import nets\nnets.units = lambda: 3",
            "units is set here, and other modules would see it (model_def.py:2)",
        ),
        _reached_case(
            'import nets\ngetattr(nets, "units")',
            "nets is handed on here, and units may be sought in it (model_def.py:2)",
        ),
        _reached_case(
            'import nets\nnets.__dict__["units"]',
            "nets is handed on here, and units may be sought in it (model_def.py:2)",
        ),
        _reached_case(
            'from nets import units\nglobals()["un" + "its"]',
            "units may be sought by globals() here (model_def.py:2)",
        ),
        _made_case("def half(self):\n        return self.__class__()"),
        _made_case("def half(self):\n        return type(self)()"),
        _made_case("@classmethod\n    def make(cls):\n        return cls()"),
        _made_case("@classmethod\n    def make(cls):\n        return cls.SIZE", is_safe=True),
        Case(
            trial("pass\n") | {"nets.py": "def get_hyperparameter(name):\n    return name\n"},
            {},
        ),
    ),
)
