"""What the example of P015 has beside, and trials that submit themselves."""

from __future__ import annotations

from rule_cases.cases import Case

_CONFIG = """\
entrypoint: {script: train.py}
hyperparameters: {batch_size: 8}
searcher: {name: single, metric: val_loss, max_steps: 1}
"""
_TRIAL = """\
from determined.keras import TFKerasTrial


class Net(TFKerasTrial):
    def __init__(self, context):
        self.context = context
"""
_CREATE = f"""\
from determined.experimental import create
{_TRIAL}

if __name__ == "__main__":
    create(Net, config={{config}})
"""
_SMALL = """{
        "hyperparameters": {"global_batch_size": 4},
        "searcher": {"name": "single", "metric": "val_loss", "max_length": {"batches": 8}},
    }"""
_KEPT = """\
entrypoint: model_def:Net
hyperparameters:
  global_batch_size: 4
searcher:
  name: single
  metric: val_loss
  max_length:
    batches: 8
"""
_PRESENT = "entrypoint: model_def:Net\n" + _CONFIG.partition("\n")[2].replace(
    "max_steps: 1", "max_length: {batches: 100}"
)

_ASKS = """\
import tensorflow as tf
from determined.experimental.keras import init


def main(x):
    config = {config}
    det = init(config=config)
    model = det.wrap_model(tf.keras.Sequential())
    model.compile("sgd", "mse")
    model.fit(x, x, batch_size=4, validation_data=(x, x))


if __name__ == "__main__":
    main([1.0])
"""
_ASKS_AFTER = '''\
import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext

import legacy_keras


def main(context, x):
    det = context
    model = det.wrap_model(tf.keras.Sequential())
    model.compile(legacy_keras.optimizer("sgd"), "mse")
    yield legacy_keras.Fit(model, x, x, batch_size=4, validation_data=(x, x))


def script(context):
    yield from main(context, [1.0])


class TrainTrial(TFKerasTrial):
    """Trains what the script yields, and resumes it when the training ends."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        self.fit = legacy_keras.started(script(context), self.context)
        self.context.configure_fit(shuffle=False, **self.fit.settings)

    def build_model(self):
        return self.fit.model

    def build_training_data_loader(self):
        return self.fit.training_data

    def build_validation_data_loader(self):
        return self.fit.validation_data

    def keras_callbacks(self):
        return self.fit.callbacks_with_epochs(self.context)
'''
_RETURNS = """\
import keras
import numpy as np

np.random.seed(1)
from blobs import x


def train(model, is_fast):
    if is_fast:
        return model.fit(x, x, batch_size=4, validation_data=(x, x))
    return model.fit(x, x, batch_size=8, validation_data=(x, x))


model = keras.models.Sequential([keras.layers.Dense(1)])
model.compile("sgd", "mse")
train(model, len(x) > 9)
"""
_RETURNS_AFTER = (
    _RETURNS.replace("import keras\n", "from tensorflow import keras\n")
    .replace(
        "np\n\n",
        "np\n\nimport legacy_keras\n\nlegacy_keras.restore_attributes()\n"
        "legacy_keras.restore_dimensions()\n"
        "legacy_keras.restore_numpy()\n\n",
    )
    .replace('"sgd"', 'legacy_keras.standalone_optimizer("sgd")')
)
_BESIDE = '''\
import legacy_keras


legacy_keras.use_standalone_keras()
legacy_keras.use_old_arguments()


class TrainTrial(legacy_keras.ScriptTrial):
    """Trains what `train.py` gives to `fit`."""

    script = "train.py"
'''
AROUND = {"const.yaml": _CONFIG}
CASES = (
    Case(
        {"model_def.py": _CREATE.format(config=_SMALL)},
        {"model_def.py": _TRIAL, "const.yaml": _KEPT},
        "the experiment config of the script is written to const.yaml",
    ),
    Case(  # a script that cannot become a generator is carried over whole
        {"const.yaml": _CONFIG, "blobs.py": "x = [1, 2]\n", "train.py": _RETURNS},
        {"train.py": _RETURNS_AFTER, "train_trial.py": _BESIDE},
        "carried over unchanged: fit may be called more than once",
    ),
    Case(  # the context of the Native API in a function
        {"train.py": _ASKS.format(config=_SMALL)},
        {
            "train.py": _ASKS_AFTER,
            "const.yaml": _KEPT.replace("model_def:Net", "train:TrainTrial"),
        },
        "the experiment config of the script is written to const.yaml",
    ),
    Case(  # beside another config, and a file of the name that it would have
        {
            "model_def.py": _CREATE.format(config=_SMALL),
            "const.yaml": _PRESENT,
            "model_def.yaml": "layers: 4\n",
        },
        {"model_def.py": _TRIAL, "model_def_2.yaml": _KEPT, "model_def.yaml": "layers: 4\n"},
        "create is gone: the trial is started with a config file",
    ),
    Case(
        {"model_def.py": _CREATE.format(config="make()"), "const.yaml": _PRESENT},
        {"model_def.py": _TRIAL},
        "the experiment config is computed",
    ),
)
