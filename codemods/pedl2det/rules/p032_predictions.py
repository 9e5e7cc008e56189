"""``model.predict_classes(x)`` and ``model.predict_proba(x)`` become functions.

TensorFlow 2.6 removed both from Sequential. The functions call the method of a model that has it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.models import looked_through, makes_model
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import AddArgument, Fix, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P032"
NAME = "predictions"


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite the calls; those of ``predict_proba``, which others have, only on models of Keras."""
    for source in trial.modules:
        for call in source.names.of(ast.Call):
            match call.func:
                case ast.Attribute(value=model, attr="predict_classes" | "predict_proba" as name):
                    if trial.modules.meaning(model):
                        continue
                    if name == "predict_classes" or _may_be_of_keras(trial, model):
                        given = AddArgument(call, "{model}", first=True, holes={"model": model})
                        edits = (Replace(call.func, f"legacy_keras.{name}"), given)
                        yield Fix(ID, source, call, edits)


def _may_be_of_keras(trial: Trial, model: ast.expr) -> bool:
    origins = looked_through(trial, trial.flow.origins(model))
    is_made = any(makes_model(trial, one.node) for one in origins)
    return is_made or ast.unparse(model) == "self.model"  # of a callback


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
        print(legacy_keras.predict_proba(self.model, self.x).mean())
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
