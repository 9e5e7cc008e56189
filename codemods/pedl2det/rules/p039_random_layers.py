"""A trial with ``Dropout``, ``LSTM`` and the like draws on a cluster what it draws here.

Keras draws random numbers by operation, unless generators are enabled: ``pedl2det run`` does so,
because a checkpoint can hold the state of a generator. A generator also takes a seed, and so moves
the initial weights of the layers behind it. So the constructor of a trial with such a layer enables
them, before its model is built: Determined then trains it to the same weights. A trial that was
written for the context-based API goes on drawing as it did.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis import old_keras
from pedl2det.analysis.old_keras import KERAS
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix

_CALL = f"{KERAS}.backend.experimental.enable_tf_random_generator"
#: Layers of Keras that draw random numbers, or may.
_LAYERS = {
    f"{KERAS}.layers.{name}"
    for name in (
        *("AlphaDropout", "Dropout", "GaussianDropout", "GaussianNoise", "MultiHeadAttention"),
        *(f"SpatialDropout{size}D" for size in (1, 2, 3)),
        *(f"ConvLSTM{size}D" for size in (1, 2, 3)),
        *(f"{name}{part}" for name in ("GRU", "LSTM", "SimpleRNN") for part in ("", "Cell")),
    )
}

#: Applications that have such a layer.
_APPLICATIONS = tuple(
    f"{KERAS}.applications.{name}" for name in ("MobileNet", "EfficientNet", "ConvNeXt")
)
#: What makes layers of what a text or a file says.
_MAKERS = ("deserialize", "from_config", "load_model", "model_from_config", "model_from_json")


def check(trial: Trial) -> Iterable[Fix]:
    """Enable generators in the constructors of a trial that may have such a layer."""
    if any(trial.today(node) in _LAYERS for node in trial.modules.reads) or _hides_one(trial):
        yield from old_keras.before_models(trial, _CALL)


def _hides_one(trial: Trial) -> bool:
    """Whether a text, a file or an application may give a model such a layer."""
    for call in trial.modules.of(ast.Call):
        name = trial.today(call.func)
        is_getattr = getattr(call.func, "id", "") == "getattr" and bool(call.args)
        if name.startswith(_APPLICATIONS) or name.rpartition(".")[2] in _MAKERS:
            return True
        if is_getattr and trial.today(call.args[0]) == f"{KERAS}.layers":
            return True
    return False


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
