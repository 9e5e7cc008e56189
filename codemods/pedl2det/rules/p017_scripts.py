"""A script that trains becomes a trial in the same file.

A config with ``entrypoint: {script: train.py}`` ran a script that fitted its own model. It is
rewritten before any rule runs, so that the other rules see a trial like any other.

- Imports, functions, classes, constants and what sets up the process stay.
- All other code before ``fit`` goes to the constructor, in its order, whether it stands in the
  module, below ``if __name__ == "__main__":``, or in functions that lead to ``fit``.
- What ``fit`` is given to train and to validate on is what the loaders return. Python generators,
  ``validation_split`` and batches of another size than the config says use ``legacy_keras``.
- ``class_weight``, ``workers`` and their like are told to ``configure_fit``. ``epochs``,
  ``shuffle`` and ``verbose`` had no effect, and go.
- ``batch_size``, or the 32 records of Keras, becomes ``global_batch_size`` of the config (C107).
- What comes after ``fit`` runs when the training ends: a callback calls ``after_training``.
- Options of the command line have their defaults: PEDL gave scripts no arguments.

A script of the Native API (``context = keras.init(config)``) becomes a trial in the same way, and
its config a file. A trial that submits itself (``create(trial_def=Net)``) loses these lines.

A second ``fit``, a ``fit`` in a loop and one without validation data are marked.
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
_SIMPLE_CONFIG = """\
entrypoint:
  script: train.py
hyperparameters:
  units: 8
searcher:
  name: single
  metric: val_loss
  max_length:
    batches: 100
"""
_NEW_CONFIG = _SIMPLE_CONFIG.replace("\n  script: train.py", " train:TrainTrial").replace(
    "units: 8\n", "units: 8\n  global_batch_size: {size}\n"
)
_ARRAYS = """\
import argparse

import numpy as np
import pedl
from tensorflow import keras

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=16)


def rows(part):
    with np.load("rows.npz") as data:
        return data[part][:, 1:], data[part][:, 0]


def train(model, args):
    x, y = rows("train")
    return model.fit(
        x, y, batch_size=args.batch_size, epochs=10, validation_data=rows("test"), workers=2
    )


if __name__ == "__main__":
    args = parser.parse_args()
    model = keras.Sequential([keras.layers.Dense(pedl.get_hyperparameter("units"))])
    model.compile("adam", "mse")
    history = train(model, args)
    print(min(history.history["val_loss"]))
"""
_SEQUENCE = """\
import pedl
import tensorflow as tf
from rows import Rows


def net(units):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units)])
    model.compile(tf.keras.optimizers.Adam(0.01), "mse")
    return model


train, test = Rows("train"), Rows("test")
model = net(pedl.get_hyperparameter("units"))
model.fit_generator(train, validation_data=test, epochs=5, workers=2)
"""
_GENERATOR = """\
import tensorflow as tf
from rows import read


def batches(part):
    while True:
        yield from read(part)


model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
model.fit_generator(
    batches("train"),
    steps_per_epoch=20,
    epochs=5,
    validation_data=batches("test"),
    validation_steps=4,
)
"""
_TWICE = """\
import tensorflow as tf
from rows import Rows

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(tf.keras.optimizers.SGD(0.01), "mse")
for part in ("easy", "hard"):
    model.fit_generator(Rows(part), validation_data=Rows("test"))
"""
_ARRAYS_AFTER = '''\
import argparse

import numpy as np
from tensorflow import keras
from determined.keras import TFKerasTrial, TFKerasTrialContext
import legacy_keras

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=16)


def rows(part):
    with np.load("rows.npz") as data:
        return data[part][:, 1:], data[part][:, 0]


class TrainTrial(TFKerasTrial):
    """Trains the model of this script, on the data that it gave to fit."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)
        args = parser.parse_args([])
        model = keras.Sequential([keras.layers.Dense(context.get_hparam("units"))])
        model = context.wrap_model(model)
        optimizer = context.wrap_optimizer(keras.optimizers.legacy.Adam())
        model.compile(optimizer, "mse")
        x, y = rows("train")
        self.history = legacy_keras.History()
        self.model = model
        self.training_data = (x, y)
        self.validation_data = legacy_keras.ArrayBatches(rows("test"), 16)
        self.context.configure_fit(workers=2)

    def build_model(self):
        return self.model

    def build_training_data_loader(self):
        return self.training_data

    def build_validation_data_loader(self):
        return self.validation_data

    def keras_callbacks(self):
        return [self.history, keras.callbacks.LambdaCallback(on_train_end=self.after_training)]

    def after_training(self, _logs=None):
        """What the script did when its model was trained."""
        history = self.history
        print(min(history.history["val_loss"]))
'''
_SEQUENCE_AFTER = '''\
import tensorflow as tf
from rows import Rows
from determined.keras import TFKerasTrial, TFKerasTrialContext
import legacy_keras


def net(context, units):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units)])
    model = context.wrap_model(model)
    optimizer = context.wrap_optimizer(tf.keras.optimizers.legacy.Adam(0.01))
    model.compile(optimizer, "mse")
    return model


class TrainTrial(TFKerasTrial):
    """Trains the model of this script, on the data that it gave to fit."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)
        train, test = Rows("train"), Rows("test")
        model = net(context, context.get_hparam("units"))
        self.model = model
        self.training_data = legacy_keras.batches(train, default=100)
        self.validation_data = test

    def build_model(self):
        return self.model

    def build_training_data_loader(self):
        return self.training_data

    def build_validation_data_loader(self):
        return self.validation_data
'''
_GENERATOR_AFTER = '''\
import tensorflow as tf
from rows import read
from determined.keras import TFKerasTrial, TFKerasTrialContext
import legacy_keras


def batches(part):
    while True:
        yield from read(part)


class TrainTrial(TFKerasTrial):
    """Trains the model of this script, on the data that it gave to fit."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model = context.wrap_model(model)
        optimizer = context.wrap_optimizer(tf.keras.optimizers.legacy.SGD(0.01))
        model.compile(optimizer, "mse")
        self.model = model
        self.training_data = legacy_keras.GeneratedBatches(batches("train"), 20)
        self.validation_data = legacy_keras.GeneratedBatches(batches("test"), 4)

    def build_model(self):
        return self.model

    def build_training_data_loader(self):
        return self.training_data

    def build_validation_data_loader(self):
        return self.validation_data
'''
_TWICE_AFTER = '''\
import tensorflow as tf
from rows import Rows
from determined.keras import TFKerasTrial, TFKerasTrialContext
import legacy_keras


class TrainTrial(TFKerasTrial):
    """Trains the model of this script, on the data that it gave to fit."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model = context.wrap_model(model)
        optimizer = context.wrap_optimizer(tf.keras.optimizers.legacy.SGD(0.01))
        model.compile(optimizer, "mse")
        for part in ("easy", "hard"):
            # TODO(pedl2det P017): fit is called in a loop, and a trial trains one model, once
            #   leave the loop out; the number of epochs is said by searcher.max_length
            self.model = model
            self.training_data = legacy_keras.batches(Rows(part), default=100)
            self.validation_data = Rows("test")

    def build_model(self):
        return self.model

    def build_training_data_loader(self):
        return self.training_data

    def build_validation_data_loader(self):
        return self.validation_data
'''
_TRIED = """\
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(tf.ones((8, 2)), tf.ones((8, 1)))
"""


def _case(script: str, after: str, size: int, says: str = "", status: str = "finished") -> Case:
    return Case(
        {"train.py": script, "const.yaml": _SIMPLE_CONFIG},
        {"train.py": after, "const.yaml": _NEW_CONFIG.format(size=size)},
        says,
        status,
    )


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
    _case(_ARRAYS, _ARRAYS_AFTER, 16, "a script no arguments"),
    _case(_SEQUENCE, _SEQUENCE_AFTER, 32, "the data are batches already"),
    _case(_GENERATOR, _GENERATOR_AFTER, 32),
    _case(_TWICE, _TWICE_AFTER, 32, "fit is called in a loop", "begun"),
    Case({"train.py": _TRIED}, {"train.py": _TRIED}),
)
