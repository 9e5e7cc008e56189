"""Code that reads more of the experiment config than keys that stay gets the config as it was.

The config of the migrated trial has ``max_length: {batches: N}`` in the place of ``max_steps``, and
``scheduling_unit`` in the place of ``batches_per_step``. Its batch size is
``hyperparameters.global_batch_size``. ``legacy_keras.get_experiment_config`` gives all code one
dict, which is the config as it was; ``data.legacy_config`` of each config holds what it cannot
compute.
"""

from __future__ import annotations

from collections.abc import Iterable

from pedl2det.analysis.context import AS_BEFORE
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.fixes import Fix, Remark, rewrite

NAME = "config-keys"

_DATA = "legacy_keras.get_data_config()"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Ask for the config as it was wherever the context was asked for it."""
    if trial.generation is Generation.CONTEXT or trial.config_uses.is_plain:
        return
    asked = {"get_experiment_config": AS_BEFORE, "get_data_config": _DATA}
    for name, code in asked.items():
        for call in trial.asked_of_context(name):
            yield rewrite(call, code)


EXAMPLE = """\
--- model_def.py
  import tensorflow as tf
  from determined.keras import TFKerasTrial, TFKerasTrialContext
+
+ import legacy_keras


  class Trial(TFKerasTrial):
      def __init__(self, context: TFKerasTrialContext) -> None:
          self.context = context
+         legacy_keras.bind(context)
+         context.configure_fit(shuffle=False)

      def build_training_data_loader(self):
-         steps = self.context.get_experiment_config()["searcher"]["max_steps"]
+         steps = legacy_keras.get_experiment_config()["searcher"]["max_steps"]
          return self.context.wrap_dataset(tf.data.Dataset.range(steps))

      def build_validation_data_loader(self):
          return self.valid
"""
