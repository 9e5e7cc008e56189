"""P021: a trial of Determined 0.12 says what later releases want to be told."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pedl2det.edit.making import becomes
from pedl2det.facts.project import Generation, TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow import where
from pedl2det.flow.loaders import returns_of
from pedl2det.plan import Plan
from pedl2det.rules.rule import Case, Rule, Safety, early
from pedl2det.rules.wrap_model import plan_compile
from pedl2det.tables.legacy import LOADERS, RANK_GETTERS

_CONTEXTS = ("context", "trial_context")


def plan(project: TrialProject, plan: Plan) -> None:
    """Wrap the optimizers, find the rank getters, and look at the training data."""
    for source in project.sources.values():
        for node in source.names.nodes:
            if isinstance(node, ast.Attribute) and node.attr in RANK_GETTERS and _is_context(node):
                text = f"{source.segment(node.value)}.distributed.{node.attr}"
                plan.expression(RULE.id, source, node, becomes(text))
    if project.generation is Generation.EARLY:
        _plan_optimizers(project, plan)
        _check_arrays(project, plan)
        _check_class(project, plan)


def _is_context(node: ast.Attribute) -> bool:
    value = node.value
    name = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
    return name in _CONTEXTS


def _plan_optimizers(project: TrialProject, plan: Plan) -> None:
    """The optimizer of each ``compile`` in build_model is wrapped, as the model is already."""
    source, node = project.trial
    method = where.methods(project).get("build_model")
    compiles = [] if method is None else list(_compiles(source, method))
    if method is None or not compiles:
        message = "build_model does not compile the wrapped model itself"
        plan.refuse(RULE.id, source, method or node, message)
        return
    for statement in compiles:
        plan_compile(plan, source, method, statement, ())


def _compiles(source: Source, method: ast.FunctionDef) -> Iterator[ast.Expr]:
    for node in ast.walk(method):
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="compile"))):
                if source.names.definition_around(node) is method:
                    yield node


def _check_arrays(project: TrialProject, plan: Plan) -> None:
    """Training arrays lost their last partial batch, and keep it now."""
    source, _ = project.trial
    method = where.methods(project).get("build_training_data_loader")
    if method is None:
        return
    for node in returns_of(source, method):
        if node.value is not None and not _is_whole(project, source, node.value):
            message = (
                f"{ast.unparse(node.value)}: of training arrays the last partial batch was left "
                "out, and now it is trained: return arrays of whole batches, or a Sequence"
            )
            plan.refuse(RULE.id, source, node, message)


def _is_whole(project: TrialProject, source: Source, value: ast.expr) -> bool:
    """Whether a loader is known not to be arrays."""
    while isinstance(value, ast.Call):
        name = source.names.qualified(value.func) or ""
        if name in LOADERS or name.startswith("tensorflow.data."):
            return True
        meant = project.calls.meaning(source, value.func)
        if isinstance(meant, ast.ClassDef):
            return any(getattr(child, "name", "") == "__getitem__" for child in meant.body)
        match value.func:
            case ast.Attribute(attr="wrap_dataset" | "flow" | "flow_from_directory"):
                return True
            case ast.Attribute(value=inner):
                value = inner
            case _:
                return False
    return False


def _check_class(project: TrialProject, plan: Plan) -> None:
    source, node = project.trial
    present = where.methods(project).get("__init__")
    if len(project.line) > 1:
        plan.refuse(RULE.id, source, node, f"{node.name} derives from a class of its own project")
    elif present is not None and len(present.args.args) != 2:
        plan.refuse(RULE.id, source, present, "expected the signature __init__(self, context)")


_IMPORTS = "import tensorflow as tf\nfrom determined.keras import TFKerasTrial"
_BUILD = (
    "def build_model(self):\n"
    "    model = self.context.wrap_model(make(self.context.get_rank()))\n"
    "    model.compile(tf.keras.optimizers.legacy.SGD(), 'mse')\n"
    "    return model\n"
)
_LOADER = "\ndef build_training_data_loader(self):\n    return RETURNED\n"

RULE = Rule(
    id="P021",
    name="early-trial",
    doc="A trial of Determined 0.12 wraps its optimizer and asks context.distributed for its rank. "
    "Training arrays lost their last partial batch there, which needs a person.",
    safety=Safety.SAFE,
    plan=plan,
    generations=(Generation.EARLY, Generation.CURRENT),
    cases=(
        Case(
            early(_BUILD, _IMPORTS),
            {
                "model_def.py": early(
                    "def build_model(self):\n"
                    "    model = self.context.wrap_model("
                    "make(self.context.distributed.get_rank()))\n"
                    "    optimizer = self.context.wrap_optimizer("
                    "tf.keras.optimizers.legacy.SGD())\n"
                    "    model.compile(optimizer, 'mse')\n"
                    "    return model\n",
                    _IMPORTS,
                )["model_def.py"]
            },
        ),
        Case(
            early(_BUILD + _LOADER.replace("RETURNED", "self.x, self.y"), _IMPORTS),
            {},
            says="(self.x, self.y): of training arrays the last partial batch was left out",
        ),
        Case(
            early("def build_model(self):\n    return compiled(self.context)\n", _IMPORTS),
            {},
            says="build_model does not compile the wrapped model itself",
        ),
        Case(
            {
                **early(_BUILD.replace("get_rank()", "get_hparam('n')"), _IMPORTS),
                "const.yaml": "hyperparameters: {}\n",
            },
            {},
        ),
    ),
)
