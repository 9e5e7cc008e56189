"""``model.predict_classes(x)`` becomes a function, ``model.predict_proba(x)`` is ``predict``.

TensorFlow 2.6 removed both from Sequential.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.callbacks import keras_callback
from pedl2det.analysis.models import looked_through, makes_model
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import AddArgument, Edit, Fix, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P032"
NAME = "predictions"

_METHODS = ("predict_classes", "predict_proba")


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite the calls whose receiver is a model of Keras."""
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            func = call.func
            if not isinstance(func, ast.Attribute) or func.attr not in _METHODS:
                continue
            if trial.modules.meaning(func.value) or not _is_of_keras(trial, source, func):
                continue
            if func.attr == "predict_proba":
                yield Fix(ID, source, call, tuple(_predict(call, func)))
                continue
            model = AddArgument(call, "{model}", first=True, holes={"model": func.value})
            edits = (Replace(func, "legacy_keras.predict_classes"), model)
            yield Fix(ID, source, call, edits)


def _predict(call: ast.Call, func: ast.Attribute) -> Iterable[Edit]:
    """``predict``, which prints unless told not to."""
    yield Replace(func, "{model}.predict", {"model": func.value})
    if len(call.args) < 3 and not any(one.arg in ("verbose", None) for one in call.keywords):
        yield AddArgument(call, "verbose=0")


def _is_of_keras(trial: Trial, source: Source, func: ast.Attribute) -> bool:
    """Whether a method is that of a Sequential: other libraries have a ``predict_proba``."""
    origins = looked_through(trial, trial.flow.origins(func.value))
    if any(makes_model(trial, one.node) for one in origins):
        return True
    owner = source.names.class_around(func)
    bases = [base for one in trial.flow.bases(owner) for base in one.bases] if owner else []
    if ast.unparse(func.value) == "self.model" and any(_is_callback(trial, one) for one in bases):
        return True
    return func.attr == "predict_classes" and not any(
        isinstance(one.node, ast.Call) for one in origins
    )


def _is_callback(trial: Trial, base: ast.expr) -> bool:
    dotted = trial.modules.meaning(base) or ""
    return keras_callback(trial, base) is not None or dotted.startswith(
        "determined.keras.callbacks."
    )


_CODE = """\
from keras.callbacks import Callback


class Scores(Callback):
    def on_train_end(self, logs=None):
        print(self.model.predict_proba(self.x).mean())
        print(accuracy(self.model, self.x, self.y))


def accuracy(model, x, y):
    return (model.predict_classes(x, verbose=1) == y).mean()
"""
_CODE_AFTER = """\
from tensorflow.keras.callbacks import Callback

import legacy_keras


class Scores(Callback):
    def on_train_end(self, logs=None):
        print(self.model.predict(self.x, verbose=0).mean())
        print(accuracy(self.model, self.x, self.y))


def accuracy(model, x, y):
    return (legacy_keras.predict_classes(model, x, verbose=1) == y).mean()
"""
_FOREST = """\
from sklearn.ensemble import RandomForestClassifier


def baseline(x, y):
    return RandomForestClassifier().fit(x, y).predict_proba(x)
"""

CASES = (
    Case(pedl_trial(_CODE), {"net.py": _CODE_AFTER}),
    Case(
        pedl_trial(_CODE.replace("keras.callbacks", "tensorflow.keras.callbacks")),
        {"net.py": _CODE_AFTER},
    ),
    Case(pedl_trial(_FOREST), {"net.py": _FOREST}),
)
