"""A frozen ``BatchNormalization`` goes on normalizing by its batch in training.

Since TensorFlow 2 it runs in inference mode where it is not trainable. Which layers a trial
freezes, and which are in a model that it loads, only the running trial knows. So where its code or
config says ``trainable`` and may mean such a layer, the constructor lets all of them act as before.
Those that are trained act the same. A trial that is carried over always says it, above its class.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from pedl2det.analysis import old_keras
from pedl2det.analysis.old_keras import KERAS
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix
from pedl2det.support import MODULE

_CALL = f"{MODULE}.use_old_batch_normalization"
_WORD = "trainable"
#: What makes a model of a file, in which layers may be frozen.
_LOADED = re.compile(r"\b(?:load_model|model_from_\w+|from_config|deserialize)\b")
#: Makers of variables, of which the word says something else.
_VARIABLES = ("Variable", "add_variable", "add_weight", "get_variable")
#: Layers of Keras that are such a layer, or may hold one.
_LAYERS = ("BatchNormalization", "Bidirectional", "TimeDistributed", "Wrapper")


def check(trial: Trial) -> Iterable[Fix]:
    """Let the constructors of a trial that may freeze layers change what that means."""
    if old_keras.is_old(trial) and (trial.carried or _may_freeze(trial)):
        yield from old_keras.before_models(trial, _CALL)


def _may_freeze(trial: Trial) -> bool:
    """Whether the word ``trainable`` stands anywhere in a sense that may concern such a layer."""
    is_configured = any(repr(_WORD) in repr(config) for _, config in trial.configs)
    is_loaded = any(_LOADED.search(source.text) for source in trial.modules)
    return (
        is_configured
        or is_loaded
        or any(getattr(value, "value", None) is not True for value in _values(trial))
    )


def _values(trial: Trial) -> Iterator[ast.expr | None]:
    """The values that ``trainable`` is given; None for one that is not visible."""
    for node in trial.modules.of(ast.Attribute):
        if node.attr == _WORD and isinstance(node.ctx, ast.Store):
            yield getattr(trial.modules.home(node).names.parents[node], "value", None)
    for call in trial.modules.of(ast.Call):
        package, _, name = trial.today(call.func).rpartition(".")
        is_other = name not in _LAYERS  # certainly neither is nor holds such a layer
        if package != f"{KERAS}.layers":
            is_other = getattr(call.func, "attr", "") in _VARIABLES
        yield from (one.value for one in call.keywords if one.arg == _WORD and not is_other)
    yield from (None for one in trial.modules.of(ast.Constant) if one.value == _WORD)


EXAMPLE = """\
--- model_def.py
  import tensorflow as tf
  from determined.keras import TFKerasTrial, TFKerasTrialContext
+
+ import legacy_keras


  class Trial(TFKerasTrial):
      def __init__(self, context: TFKerasTrialContext) -> None:
          self.context = context
+         context.configure_fit(shuffle=False)
+         legacy_keras.use_old_batch_normalization()

      def features(self):
          stem = tf.keras.applications.ResNet50(include_top=False)
          stem.trainable = False
          return stem
"""
