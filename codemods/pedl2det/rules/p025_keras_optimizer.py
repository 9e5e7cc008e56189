"""An optimizer that a ``KerasTrial`` gave by its name becomes an object.

The name meant the optimizer of standalone Keras, with its defaults. A checkpoint holds an object.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.metric_names import keras_trials
from pedl2det.analysis.old_keras import BY_NAME, LEGACY, Given, given, standalone_defaults
from pedl2det.analysis.source import spell
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite

NAME = "keras-optimizer"


def check(trial: Trial) -> Iterable[Fix]:
    """Make an object of each name that ``optimizer()`` returns."""
    for metrics in keras_trials(trial):
        for method in trial.flow.overrides(metrics.owner, "optimizer"):
            for value in trial.flow.returned(method):
                kind = given(trial, value)
                if kind is Given.NAME and isinstance(value, ast.Constant):
                    name = BY_NAME[str(value.value).lower()]
                    found = spell(trial.modules.home(value), f"{LEGACY}.{name}")
                    code = f"{found.code}({standalone_defaults(name)})"
                    yield rewrite(value, code, imports=found.imports)
                elif kind is not Given.OBJECT:
                    code = "legacy_keras.standalone_optimizer({value})"
                    yield rewrite(value, code, {"value": value})


EXAMPLE = """\
--- net.py
  import tensorflow as tf


  class Net:
      def optimizer(self):
-         return "adadelta"  # fast
+         return tf.keras.optimizers.legacy.Adadelta(learning_rate=1.0)  # fast
"""
