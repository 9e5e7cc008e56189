"""Code that makes a trial itself, such as a test or a main guard, gives it a context.

Determined's ``TFKerasTrialContext.from_config`` makes a context outside of an experiment;
``legacy_keras.local_context`` calls it with the hyperparameters that the code has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Drop, Fix, Remark, rewrite

#: Methods that took the hyperparameters.
_METHODS = ("build_model", "session_config", "keras_callbacks")
_MORE = "a trial is made with other arguments than the hyperparameters"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the calls of trials and of their methods outside of the harness."""
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            if _makes_trial(trial, call):
                yield _with_context(call)
            elif isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
                origins = trial.flow.origins(call.func.value)
                if origins and all(_makes_trial(trial, one.node) for one in origins):
                    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
                    edits = tuple(Drop(one) for one in given)
                    yield Fix(call, edits)


def _makes_trial(trial: Trial, node: ast.AST) -> bool:
    """Whether a call makes an instance of a trial class."""
    origins = trial.flow.origins(node.func) if isinstance(node, ast.Call) else []
    return bool(origins) and all(
        one.node in trial.classes and not one.path and isinstance(one.node, ast.ClassDef)
        for one in origins
    )


def _with_context(call: ast.Call) -> Fix | Remark:
    """``Net(hparams)`` becomes ``Net(legacy_keras.local_context(hparams))``."""
    match [*call.args, *(one.value for one in call.keywords if one.arg)]:
        case [hparams] if len(call.args) + len(call.keywords) == 1 and not isinstance(
            hparams, ast.Starred
        ):
            code = "{trial}(legacy_keras.local_context({hparams}))"
            return rewrite(call, code, {"trial": call.func, "hparams": hparams})
    return Remark(call, _MORE)


EXAMPLE = """\
--- test_net.py
+ import legacy_keras
  from model_def import Net


  def test_the_model_has_one_layer():
-     trial = Net(hparams={"units": 2})
+     trial = Net(legacy_keras.local_context({"units": 2}))
-     assert len(trial.build_model({"units": 2}).layers) == 1
+     assert len(trial.build_model().layers) == 1
"""
