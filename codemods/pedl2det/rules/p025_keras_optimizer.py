"""An optimizer that a ``KerasTrial`` gave by its name becomes an object.

The name meant the optimizer of standalone Keras, with its defaults. A checkpoint holds an object.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.keras_metrics import keras_trials
from pedl2det.analysis.old_keras import LEGACY, standalone_defaults
from pedl2det.analysis.optimizers import BY_NAME, Given, given
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P025"
NAME = "keras-optimizer"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Make an object of each name that ``optimizer()`` returns."""
    for metrics in keras_trials(trial):
        for method in trial.flow.overrides(metrics.owner, "optimizer"):
            for value in trial.flow.returned(method):
                kind = given(trial, value)
                if kind is not Given.OBJECT:
                    yield _made(trial, value, kind)


def _made(trial: Trial, value: ast.expr, kind: Given) -> Fix:
    source = trial.modules.home(value)
    if kind is Given.NAME and isinstance(value, ast.Constant):
        name = BY_NAME[str(value.value).lower()]
        spelling = spell(source, f"{LEGACY}.{name}")
        edit = Replace(value, f"{spelling.code}({standalone_defaults(name)})")
        return Fix(ID, source, value, (edit,), imports=spelling.imports)
    edit = Replace(value, "legacy_keras.standalone_optimizer({value})", {"value": value})
    return Fix(ID, source, value, (edit,))


_TRIAL = """\
import tensorflow as tf


class Net:
    def optimizer(self):
        return {value}
"""


def _case(before: str, after: str, start: str = "", base: str = "KerasTrial") -> Case:
    return Case(
        pedl_trial(_TRIAL.format(value=before), base),
        {"net.py": start + _TRIAL.format(value=after)},
    )


CASES = (
    _case('"adadelta"  # fast', "tf.keras.optimizers.legacy.Adadelta(learning_rate=1.0)  # fast"),
    _case("'SGD'", "tf.keras.optimizers.legacy.SGD()"),
    Case(
        pedl_trial(_TRIAL.format(value="choose()"), "KerasTrial"),
        {
            "net.py": _TRIAL.format(value="legacy_keras.standalone_optimizer(choose())").replace(
                "as tf\n", "as tf\n\nimport legacy_keras\n"
            )
        },
    ),
    _case("tf.keras.optimizers.legacy.SGD(0.1)", "tf.keras.optimizers.legacy.SGD(0.1)"),
    _case("'adadelta'", "'adadelta'", base="TFKerasTrial"),
)
