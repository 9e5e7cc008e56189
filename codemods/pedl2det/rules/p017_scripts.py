"""A script that trains becomes a trial in the same file.

A config with ``entrypoint: {script: train.py}`` ran a script that fitted its own model. What the
script does before ``fit`` becomes the trial's constructor, the data that it gives to ``fit`` become
the loaders, and what it does afterwards is called when the training ends. Trials of the Native API
of early Determined (``init`` and ``create``) are rewritten in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable

from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, Remark
from pedl2det.rules.cases import Case

NAME = "scripts"


def check(trial: Trial) -> Iterable[Fix | Remark]:  # noqa: ARG001 - the signature of every rule
    """Return nothing: ``engine/lowering`` rewrites scripts before the rules see the trial."""
    return ()


_ROWS = """\
import tensorflow as tf


class Rows(tf.keras.utils.Sequence):
    def __init__(self, part):
        self.part = part

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.part[index]
"""
_CONFIG = """\
entrypoint:
  script: train.py
hyperparameters:
  units: 8
  batch_size: 16
searcher:
  name: single
  metric: val_loss
  max_steps: 1
"""
_TODAY = """\
entrypoint: train:TrainTrial
hyperparameters:
  units: 8
  global_batch_size: 16
searcher:
  name: single
  metric: val_loss
  max_length:
    batches: 100
"""
CASES = (
    Case(
        {
            "train.py": """\
import pedl
import tensorflow as tf
from rows import Rows

train, test = Rows("train"), Rows("test")
model = tf.keras.Sequential([tf.keras.layers.Dense(pedl.get_hyperparameter("units"))])
model.compile(tf.keras.optimizers.Adam(0.01), "mse")
model.fit_generator(train, validation_data=test, workers=2)
print(model.count_params(), "parameters")
""",
            "rows.py": _ROWS,
            "const.yaml": _CONFIG,
        },
        {
            "train.py": '''\
import tensorflow as tf
from rows import Rows
from determined.keras import TFKerasTrial, TFKerasTrialContext


class TrainTrial(TFKerasTrial):
    """Trains the model of this script, on the data that it gave to fit."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)
        train, test = Rows("train"), Rows("test")
        model = tf.keras.Sequential([tf.keras.layers.Dense(context.get_hparam("units"))])
        model = context.wrap_model(model)
        optimizer = context.wrap_optimizer(tf.keras.optimizers.legacy.Adam(0.01))
        model.compile(optimizer, "mse")
        self.model = model
        self.training_data = train
        self.validation_data = test
        self.context.configure_fit(workers=2)

    def build_model(self):
        return self.model

    def build_training_data_loader(self):
        return self.training_data

    def build_validation_data_loader(self):
        return self.validation_data

    def keras_callbacks(self):
        return [tf.keras.callbacks.LambdaCallback(on_train_end=self.after_training)]

    def after_training(self, _logs=None):
        """What the script did when its model was trained."""
        model = self.model
        print(model.count_params(), "parameters")
''',
            "const.yaml": _TODAY,
        },
        says="what the script did after fit is done when the training ends",
    ),
)
