"""A script that fits its own model becomes a generator, which a trial in the same file resumes.

This is done before any rule runs (``scripts/``), so that all rules apply to the trial. A script
that calls ``fit`` where it cannot yield (in a loop, in a method), or that would train differently
as a generator, is carried over: a trial in a file beside it runs it in a thread, which waits at
each call of ``fit``. A script that calls no ``fit``, or has no validation data, is marked.
"""

from __future__ import annotations

from collections.abc import Iterable

from pedl2det.analysis.membership import INITS
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite


def check(trial: Trial) -> Iterable[Fix]:
    """Replace the calls by which a script got its context from the Native API."""
    calls = [reference.call for reference in trial.uses(*INITS) if reference.call is not None]
    if trial.carried:
        return [rewrite(call, "legacy_keras.context()") for call in calls]
    return [rewrite(call, "{context}") for call in calls if trial.context.at(call) is not None]


EXAMPLE = '''\
--- train.py
  import numpy as np
  import tensorflow as tf
+ from determined.keras import TFKerasTrial, TFKerasTrialContext
+
+ import legacy_keras


- x, y = np.ones((64, 2)), np.ones((64, 1))
- model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
- model.compile(tf.keras.optimizers.SGD(0.1), "mse")
- model.fit(x, y, validation_data=(x, y), batch_size=8)
+ def script(context):
+     x, y = np.ones((64, 2)), np.ones((64, 1))
+     model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
+     model = context.wrap_model(model)
+     optimizer = context.wrap_optimizer(tf.keras.optimizers.legacy.SGD(0.1))
+     model.compile(optimizer, "mse")
+     yield legacy_keras.Fit(model, x, y, validation_data=(x, y), batch_size=8)
+
+
+ class TrainTrial(TFKerasTrial):
+     """Trains what the script yields, and resumes it when the training ends."""
+
+     def __init__(self, context: TFKerasTrialContext) -> None:
+         self.context = context
+         self.fit = legacy_keras.started(script(context), self.context)
+         self.context.configure_fit(shuffle=False, **self.fit.settings)
+
+     def build_model(self):
+         return self.fit.model
+
+     def build_training_data_loader(self):
+         return self.fit.training_data
+
+     def build_validation_data_loader(self):
+         return self.fit.validation_data
+
+     def keras_callbacks(self):
+         return self.fit.callbacks_with_epochs(self.context)
'''
