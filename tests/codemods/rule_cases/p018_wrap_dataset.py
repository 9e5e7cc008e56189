"""Cases of P018."""

from __future__ import annotations

from rule_cases.cases import Case, case_of
from rule_cases.small_trials import loaders, migrated_model, migrated_trial, pedl_trial

_TF = "import tensorflow as tf"
_WRAP = f"{_TF}\n\nfrom pedl.frameworks.keras import wrap_dataset"
_MADE = "tf.data.Dataset.from_tensor_slices"
_CACHED = """\
--- model_def.py
  import tensorflow as tf
  from determined.keras import TFKerasTrial, TFKerasTrialContext
+
+ import legacy_keras


  class Trial(TFKerasTrial):
      def __init__(self, context: TFKerasTrialContext) -> None:
          self.context = context

      def build_training_data_loader(self):
-         @self.context.experimental.cache_train_dataset("range", "v1", shuffle=True)
          def make_dataset():
              return tf.data.Dataset.range(64)

-         dataset = make_dataset()
+         dataset = legacy_keras.shuffled(
+             self.context.wrap_dataset(make_dataset()).cache(),
+             self.context.get_trial_seed(),
+         )
          return dataset.batch(8)
! cache_train_dataset was removed in Determined 0.19.10
"""

CASES = (
    case_of(_CACHED, {}),
    Case(  # one is not wrapped
        pedl_trial(
            f"train = wrap_dataset({_MADE}(([1], [2])))\n"
            f"test = {_MADE}(([3], [4]))\n"
            "return train.batch(2), test.batch(2)\n",
            _WRAP,
        ),
        migrated_trial(
            f"train = context.wrap_dataset({_MADE}(([1], [2])))\n"
            f"test = {_MADE}(([3], [4]))\n"
            "return train.batch(2), test.batch(2)\n",
            _TF,
            unwrapped=True,
            shuffle=False,
        ),
    ),
    Case(  # during imports there is no context yet
        pedl_trial(
            "return TRAIN.batch(2), TRAIN.batch(4)\n",
            f"{_WRAP}\n\nTRAIN = wrap_dataset({_MADE}(([1], [1])))",
        ),
        {},
        says="wrap_dataset is called while the module is imported",
        status="begun",
    ),
    Case(  # a method of a class that is no trial has no context
        pedl_trial(
            "return Reader().read(), Reader().read()\n",
            f"{_WRAP}\n\n\nclass Reader:\n    def read(self):\n"
            f"        return wrap_dataset({_MADE}(([1], [1])))",
        ),
        {
            "data.py": loaders(
                "return Reader().read(), Reader().read()\n",
                f"{_TF}\n\nimport legacy_keras\n\n\nclass Reader:\n    def read(self):\n"
                f"        return legacy_keras.wrap_dataset({_MADE}(([1], [1])))",
                "",
            ),
            "model_def.py": migrated_model("", shuffle=False, more="legacy_keras.bind(context)\n"),
        },
    ),
)
