"""A trial with ``Dropout``, ``LSTM`` and the like draws on a cluster what it draws here.

Keras draws random numbers by operation, unless generators are enabled: ``pedl2det run`` does so,
because a checkpoint can hold the state of a generator. A generator also takes a seed, and so moves
the initial weights of the layers behind it. So the constructor of a trial with such a layer enables
them, before its model is built: Determined then trains it to the same weights. A trial that was
written for the context-based API goes on drawing as it did.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pedl2det.analysis import old_keras
from pedl2det.analysis.old_keras import KERAS
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix

_CALL = f"{KERAS}.backend.experimental.enable_tf_random_generator"
#: Names of Keras that draw random numbers in a layer, or may load such a layer.
_MAY_DRAW = re.compile(
    rf"{KERAS}\.layers\.\w*(?:Dropout|Noise|GRU|LSTM|SimpleRNN|Attention|Random)"
    rf"|{KERAS}\.applications\.(?:MobileNet|EfficientNet|ConvNeXt)"
    r"|(?:.*\.)?(?:deserialize|from_config|load_model|model_from_config|model_from_json)$"
)


def check(trial: Trial) -> Iterable[Fix]:
    """Enable generators in the constructors of a trial that may have such a layer."""
    if any(_may_draw(trial, node) for node in trial.modules.reads):
        yield from old_keras.before_models(trial, _CALL)


def _may_draw(trial: Trial, node: ast.expr) -> bool:
    name = trial.today(node)
    parent = trial.modules.home(node).names.parents[node]
    # Such as `getattr(layers, name)` and `layers.__dict__[name]`.
    is_asked = isinstance(parent, ast.Call) or getattr(parent, "attr", "") == "__dict__"
    by_text = name == f"{KERAS}.layers" and is_asked
    return by_text or _MAY_DRAW.match(name) is not None


EXAMPLE = """\
--- model_def.py
  import tensorflow as tf
  from determined.keras import TFKerasTrial, TFKerasTrialContext


  class Trial(TFKerasTrial):
      def __init__(self, context: TFKerasTrialContext) -> None:
          self.context = context
+         context.configure_fit(shuffle=False)
+         tf.keras.backend.experimental.enable_tf_random_generator()

      def hidden(self):
          return [tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(8)]
"""
