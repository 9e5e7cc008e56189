"""P011: callbacks that act by epoch need a decision."""

from __future__ import annotations

import ast

from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow import where
from pedl2det.flow.callbacks import Hooks, callbacks_of, hooks_of
from pedl2det.plan import Plan
from pedl2det.rules.rule import OLD_CLASSES, Case, Rule, Safety, trial
from pedl2det.tables.legacy import is_legacy

_KERAS = "tensorflow.keras.callbacks."
_BATCH_BASED = {"TerminateOnNaN", "History"}
_EPOCH_BASED = {
    "CSVLogger": "its rows were epochs with training logs, which are empty now: "
    "metrics.jsonl has them",
    "EarlyStopping": "it counted epochs and saw training logs; that of determined.keras.callbacks "
    "acts after validations: choose patience and monitor anew",
    "LearningRateScheduler": "it acted at each pass over the data: an epoch is records_per_epoch "
    "of the config now",
    "ModelCheckpoint": "it saved at each pass over the data: min_checkpoint_period of the config "
    "takes checkpoints",
    "ReduceLROnPlateau": "it counted epochs and saw training logs; that of "
    "determined.keras.callbacks acts after validations: choose patience and monitor anew",
}
_WHY = (
    "an epoch was one pass over the data, with training logs; in the context-based API it is "
    "records_per_epoch, with empty logs: decide which hooks this callback needs"
)
_HOOKS = ("on_batch", "on_epoch", "on_predict", "on_test", "on_train")
_UNSEEN = "which callbacks these are cannot be seen: return one list of calls"


def plan(project: TrialProject, plan: Plan) -> None:
    """Refuse callbacks that would act at other times, or that cannot be seen."""
    methods = [
        (source, method)
        for source, method in where.all_methods(project)
        if method.name == "keras_callbacks"
    ]
    for source, method in methods:
        for home, value in callbacks_of(project, source, method):
            _plan_callback(plan, home, value)
    for source in project.sources.values() if methods else ():
        for node in source.names.nodes:
            match node:
                case ast.Attribute(attr=name, ctx=ast.Store()) if name.startswith(_HOOKS):
                    message = f"{ast.unparse(node)} is set here: {_WHY}"
                    plan.refuse(RULE.id, source, node, message)


def _plan_callback(plan: Plan, source: Source, value: ast.expr) -> None:
    if not isinstance(value, ast.Call):
        plan.refuse(RULE.id, source, value, f"{ast.unparse(value)}: {_UNSEEN}")
        return
    name = source.names.qualified(value.func) or ""
    own = plan.project.calls.meaning(source, value.func)
    is_super = ast.unparse(value.func) == "super().keras_callbacks"
    if is_super or is_legacy(name) or name.startswith("determined.keras."):
        return
    if isinstance(own, ast.ClassDef):
        _plan_class(plan, source, value, own)
    elif name == f"{_KERAS}LambdaCallback":
        given = {keyword.arg or "**" for keyword in value.keywords}
        given |= {"* (which hooks these are)"} if value.args else set()
        _plan_hooks(plan, source, value, given)
    elif name.removeprefix(_KERAS) not in _BATCH_BASED:
        is_unseen = not name or isinstance(own, ast.FunctionDef)
        why = _UNSEEN if is_unseen else _EPOCH_BASED.get(name.removeprefix(_KERAS), _WHY)
        plan.refuse(RULE.id, source, value, f"{ast.unparse(value.func)}: {why}")


def _plan_class(plan: Plan, source: Source, value: ast.expr, own: ast.ClassDef) -> None:
    found = hooks_of(plan.project, own)
    if found is None:
        plan.refuse(RULE.id, source, value, f"{own.name}: {_WHY}")
    else:
        _plan_hooks(plan, source, value, found)


def _plan_hooks(plan: Plan, source: Source, value: ast.expr, hooks: Hooks) -> None:
    by_epoch = sorted(hook for hook in hooks if hook.startswith(("on_epoch", "*")))
    tests = sorted(hook for hook in hooks if hook.startswith("on_test"))
    if by_epoch:
        plan.refuse(RULE.id, source, value, f"{', '.join(by_epoch)}: {_WHY}")
    elif tests:
        message = f"{', '.join(tests)} of a callback were never called; now they are"
        plan.different(RULE.id, source, value, message)


_BASE = "from pedl.frameworks.keras import TFKerasTrial\n"
_TF = f"import tensorflow as tf\n{_BASE}"
_OWN = f"{_TF}\n\nclass Rates(tf.keras.callbacks.Callback):\n    def HOOK(self, n, logs=None):\n"
_OWN += "        print(n)\n"
_MORE = "\n\nclass More(Rates):\n    rate = 1\n"
_USE = "def keras_callbacks(self, hparams):\n    return [Rates()]\n"

RULE = Rule(
    id="P011",
    name="keras-callbacks",
    doc="Callbacks that act at the end of an epoch would be called at other times, with other "
    "logs; callbacks that act on batches stay as they are.",
    safety=Safety.PERSON,
    plan=plan,
    generations=OLD_CLASSES,
    cases=(
        Case(
            trial(
                "def keras_callbacks(self, hparams):\n"
                '    return [tf.keras.callbacks.EarlyStopping(monitor="loss")]\n',
                _TF,
            ),
            {},
            says="tf.keras.callbacks.EarlyStopping: it counted epochs and saw training logs",
        ),
        Case(trial(_USE, _OWN.replace("HOOK", "on_epoch_end")), {}, says="on_epoch_end: an epoch"),
        Case(trial(_USE, _OWN.replace("HOOK", "on_train_batch_end")), {}),
        Case(
            trial(_USE, _OWN.replace("HOOK", "on_test_end")),
            {},
            says="on_test_end of a callback were never called; now they are",
        ),
        Case(
            trial(
                "def keras_callbacks(self, hparams):\n"
                "    callbacks = [TFKerasTensorBoard()]\n"
                "    if hparams['slow']:\n"
                "        callbacks.append(tf.keras.callbacks.CSVLogger('log.csv'))\n"
                "    return callbacks\n",
                f"{_TF}from pedl.frameworks.keras import TFKerasTensorBoard\n",
            ),
            {},
            says="tf.keras.callbacks.CSVLogger: its rows were epochs",
        ),
        Case(
            trial("def keras_callbacks(self, hparams):\n    return CALLBACKS\n"),
            {},
            says="CALLBACKS: which callbacks these are cannot be seen",
        ),
        Case(
            trial("def keras_callbacks(self, hparams):\n    return make_callbacks()\n", _TF),
            {},
            says="make_callbacks: which callbacks these are cannot be seen",
        ),
        Case(
            trial(
                "def keras_callbacks(self, hparams):\n    return [TFKerasTensorBoard()]\n",
                "from pedl.frameworks.keras import TFKerasTensorBoard, TFKerasTrial",
            ),
            {},
        ),
        Case(
            trial(_USE, _OWN.replace("def HOOK", "def step") + "    on_epoch_end = step\n"),
            {},
            says="on_epoch_end: an epoch",
        ),
        Case(
            trial(
                _USE,
                _OWN.replace("HOOK", "set_params").replace("print(n)", "self.on_epoch_end = n"),
            ),
            {},
            says="self.on_epoch_end is set here: an epoch",
        ),
        Case(
            trial(
                _USE, _OWN.replace("HOOK", "__init__").replace("print(n)", "setattr(self, n, 1)")
            ),
            {},
            says="Rates: an epoch",
        ),
        Case(
            trial(_USE.replace("Rates", "More"), _OWN.replace("HOOK", "on_batch_end") + _MORE), {}
        ),
        Case(
            trial(_USE.replace("Rates", "More"), _OWN.replace("HOOK", "on_epoch_end") + _MORE),
            {},
            says="on_epoch_end: an epoch",
        ),
        Case(
            trial(
                "def keras_callbacks(self, hparams):\n"
                "    nans = tf.keras.callbacks.TerminateOnNaN()\n"
                "    return [nans] if hparams['careful'] else listed()\n",
                f"{_TF}\n\ndef listed():\n    found = [tf.keras.callbacks.History()]\n"
                "    return found\n",
            ),
            {},
        ),
        Case(
            trial(
                "def keras_callbacks(self, hparams):\n    return listed()\n",
                f"{_TF}\n\ndef listed():\n    log = tf.keras.callbacks.CSVLogger('log')\n"
                "    return [log]\n",
            ),
            {},
            says="tf.keras.callbacks.CSVLogger: its rows were epochs",
        ),
        Case(
            trial(
                "def keras_callbacks(self, hparams):\n"
                "    nans = tf.keras.callbacks.TerminateOnNaN()\n"
                "    changed(nans)\n    return [nans]\n",
                _TF,
            ),
            {},
            says="nans: which callbacks these are cannot be seen",
        ),
    ),
)
