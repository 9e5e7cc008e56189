"""Code that makes a trial itself, such as a test or a main guard, gives it a context.

Determined's ``TFKerasTrialContext.from_config`` makes a context outside of an experiment;
``legacy_keras.local_context`` calls it with the hyperparameters that the code has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Generation, Trial
from pedl2det.fixes import Drop, Fix, Replace
from pedl2det.rules.cases import Case

ID = "P030"
NAME = "local-runs"

#: Methods that took the hyperparameters.
_METHODS = ("build_model", "session_config", "keras_callbacks")


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite the calls of trials and of their methods outside of the harness."""
    if trial.generation is not Generation.PEDL:
        return
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            if _makes_trial(trial, call):
                yield Fix(ID, source, call, (_with_context(call),))
            elif isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
                origins = trial.flow.origins(call.func.value)
                if origins and all(_makes_trial(trial, one.node) for one in origins):
                    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
                    edits = tuple(Drop(one) for one in given)
                    yield Fix(ID, source, call, edits)


def _makes_trial(trial: Trial, node: ast.AST) -> bool:
    """Whether a call makes an instance of a trial class."""
    origins = trial.flow.origins(node.func) if isinstance(node, ast.Call) else []
    return bool(origins) and all(
        one.node in trial.classes and not one.path and isinstance(one.node, ast.ClassDef)
        for one in origins
    )


def _with_context(call: ast.Call) -> Replace:
    """``Net(hparams)`` becomes ``Net(legacy_keras.local_context(hparams))``."""
    holes: dict[str, ast.expr] = {"trial": call.func}
    codes = []
    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    for number, argument in enumerate(given):
        hole, prefix = f"argument{number}", ""
        if isinstance(argument, ast.keyword):
            prefix = f"{argument.arg}=" if argument.arg else "**"
            prefix = "" if argument.arg and not number else prefix  # whatever its name was
        elif isinstance(argument, ast.Starred):
            prefix = "*"
        codes.append(f"{prefix}{{{hole}}}")
        holes[hole] = (
            argument.value if isinstance(argument, ast.keyword | ast.Starred) else argument
        )
    return Replace(call, f"{{trial}}(legacy_keras.local_context({', '.join(codes)}))", holes)


_TRIAL = """\
import tensorflow as tf
from rows import rows

from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        model.compile(tf.keras.optimizers.SGD(0.1), "mse")
        return model


def make_data_loaders(experiment_config, hparams):
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
"""
_TEST = """\
from model_def import Net


def test_the_model_has_one_layer():
    trial = {trial}
    assert len(trial.build_model({hparams}).layers) == 1
"""
_OTHER = """\
from model_def import Net, Other


def both(given, more):
    return {trial}, Other().build_model(1)
"""
_NEW_TEST = "import legacy_keras\n" + _TEST

CASES = (
    Case(
        {
            "model_def.py": _TRIAL,
            "test_net.py": _TEST.format(trial='Net(hparams={"units": 2})', hparams='{"units": 2}'),
        },
        {
            "test_net.py": _NEW_TEST.format(
                trial='Net(legacy_keras.local_context({"units": 2}))', hparams=""
            )
        },
    ),
    Case(  # arguments that are not visible, and another class of the project
        {
            "model_def.py": _TRIAL + "\n\nclass Other:\n    pass\n\n\nother = Other()\n",
            "test_net.py": _OTHER.format(trial="Net(*given, **more)"),
        },
        {
            "test_net.py": "import legacy_keras\n"
            + _OTHER.format(trial="Net(legacy_keras.local_context(*given, **more))")
        },
    ),
)
