"""Code that makes a trial itself, such as a test or a main guard, gives it a context.

Determined's ``TFKerasTrialContext.from_config`` makes a context outside of an experiment;
``legacy_keras.local_context`` calls it with the hyperparameters that the code has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import AddArgument, DropArgument, Edit, Fix, Remark, RenameKeyword, Replace
from pedl2det.rules.cases import Case

ID = "P030"
NAME = "local-runs"

#: Methods that took the hyperparameters.
_METHODS = frozenset({"build_model", "session_config", "keras_callbacks"})
_HIDDEN = (
    "this makes the trial with arguments that are not visible; its constructor takes a context"
)
_WRITE = "pass legacy_keras.local_context(hparams), or TFKerasTrialContext.from_config(config)"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the calls of trials and of their methods outside of the harness."""
    if trial.generation is not Generation.PEDL:
        return
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            if _makes_trial(trial, call):
                yield _made(trial, source, call)
            elif _asks_trial(trial, call):
                yield from _asked(source, call)


def _makes_trial(trial: Trial, call: ast.expr) -> bool:
    """Whether a call makes an instance of a trial class."""
    if not isinstance(call, ast.Call):
        return False
    origins = trial.flow.origins(call.func)
    return bool(origins) and all(
        one.node in trial.classes and not one.path and isinstance(one.node, ast.ClassDef)
        for one in origins
    )


def _asks_trial(trial: Trial, call: ast.Call) -> bool:
    """Whether a call is one of a trial's methods, on a trial that the project made."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _METHODS:
        return False
    origins = trial.flow.origins(call.func.value)
    return bool(origins) and all(
        isinstance(one.node, ast.Call) and not one.path and _makes_trial(trial, one.node)
        for one in origins
    )


def _made(trial: Trial, source: Source, call: ast.Call) -> Fix | Remark:
    """``Net(hparams)`` becomes ``Net(legacy_keras.local_context(hparams))``."""
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if any(isinstance(one, ast.Starred) or getattr(one, "arg", "") is None for one in arguments):
        return Remark(ID, source, call, Kind.NOTE, _HIDDEN, _WRITE)
    edits: list[Edit] = []
    if not arguments:
        edits.append(AddArgument(call, "legacy_keras.local_context()"))
    for argument in arguments[:1]:
        value = argument.value if isinstance(argument, ast.keyword) else argument
        edits.append(Replace(value, "legacy_keras.local_context({hparams})", {"hparams": value}))
        if isinstance(argument, ast.keyword):
            edits.append(RenameKeyword(argument, _parameter(trial, call)))
    edits += [DropArgument(call, one) for one in arguments[1:]]
    return Fix(ID, source, call, tuple(edits))


def _parameter(trial: Trial, call: ast.Call) -> str:
    """The name under which the constructor of a trial takes its context."""
    called = [one for one in trial.flow.called(call) if isinstance(one, ast.FunctionDef)]
    return trial.context.constructor_parameter(called[0]) if called else "context"


def _asked(source: Source, call: ast.Call) -> Iterator[Fix]:
    """``trial.build_model(hparams)`` becomes ``trial.build_model()``."""
    arguments: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if arguments:
        yield Fix(ID, source, call, tuple(DropArgument(call, one) for one in arguments))


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
_OTHER = _TEST.replace("Net", "Other").format(trial="Other()", hparams="1")
_NEW_TEST = "import legacy_keras\n" + _TEST

CASES = (
    Case(
        {
            "model_def.py": _TRIAL,
            "test_net.py": _TEST.format(trial='Net(hparams={"units": 2})', hparams='{"units": 2}'),
        },
        {
            "test_net.py": _NEW_TEST.format(
                trial='Net(context=legacy_keras.local_context({"units": 2}))', hparams=""
            )
        },
    ),
    Case(  # another class of the project
        {
            "model_def.py": _TRIAL + "\n\nclass Other:\n    pass\n\n\nother = Other()\n",
            "test_net.py": _OTHER,
        },
        {"test_net.py": _OTHER},
    ),
)
