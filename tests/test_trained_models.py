"""A migrated trial trains the model that the old one returned, wherever others are compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import pedl2det, write_tree

pytestmark = pytest.mark.slow

CONFIG = """\
hyperparameters: {batch_size: 8, big: true, rate: 0.05}
searcher: {name: single, metric: loss, max_steps: 2}
batches_per_step: 6
reproducibility: {experiment_seed: 5}
"""
HEAD = """\
import numpy as np
import tensorflow as tf
from pedl.frameworks.keras import KerasTrial, TFKerasTrial
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential


class Rows(tf.keras.utils.Sequence):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        x = np.random.RandomState(index).rand(8, 4)
        return x, x.sum(axis=1)


def make_data_loaders(experiment_config, hparams):
    return Rows(), Rows()


def compiled(units, optimizer="adam"):
    model = Sequential([Dense(units, input_shape=(4,)), Dense(1)])
    model.compile(optimizer, "mse", metrics=["mae"])
    return model


class Scaled:
    def scaled(self):
        factor = np.random.rand()
        return lambda y, prediction: factor * tf.reduce_mean(tf.square(y - prediction), axis=-1)

    def sgd(self):
        return tf.keras.optimizers.SGD(lr=0.1 * np.random.rand())


"""
TRIALS = {
    "one of several that a helper compiles": """
class Net(TFKerasTrial):
    def build_model(self, hparams):
        big, small = compiled(32), compiled(4)
        return big if hparams["big"] else small
""",
    "layers that are frozen after it was compiled": """
class Net(TFKerasTrial):
    def build_model(self, hparams):
        inner = Sequential([Dense(4, input_shape=(4,)), Dense(4)])
        inner.layers[0].trainable = False
        models = [Sequential([inner, Dense(1)]) for _ in range(2)]
        for model in models:
            model.compile("adam", "mse")
        inner.layers[0].trainable = True
        models[1].trainable = False
        return models[hparams["big"]]
""",
    "the best of some that are trained before": """
class Net(TFKerasTrial):
    def build_model(self, hparams):
        x, y = Rows()[0]
        models = []
        for units in (16, 2):
            model = Sequential([Dense(units), Dense(1)])
            model.compile(**{"optimizer": "adam", "loss": "mse"})
            model.fit(x, y, verbose=0)
            tf.keras.backend.set_value(model.optimizer.lr, hparams["rate"])
            models.append(model)
        return min(models, key=lambda model: model.evaluate(x, y, verbose=0))
""",
    "one whose callbacks build another": """
class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = Sequential([Dense(16 if hparams["big"] else 2), Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["rate"]), "mse")
        return model

    def keras_callbacks(self, hparams):
        other = self.build_model(dict(hparams, big=False))
        assert other.layers[0].units == 2
        return []
""",
    "one of a class with a compile of its own": """
class Pair(tf.keras.Sequential):
    def compile(self, first, second, **options):
        super().compile(loss="mse", **options)
        self.pair = [first, second]

    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(data[0]) - data[1][:, None]))
        weights = self.trainable_variables
        for optimizer, *pair in zip(self.pair, tape.gradient(loss, weights), weights):
            optimizer.apply_gradients([pair])
        return {"loss": loss}


class Net(TFKerasTrial):
    def build_model(self, hparams):
        models = [Pair([Dense(1, input_shape=(4,))]) for _ in range(2)]
        for model in models:
            model.compile(tf.keras.optimizers.SGD(0.1), second=tf.keras.optimizers.Adam(0.01))
        return models[0]
""",
    "one whose loss and optimizer draw random numbers": """
class Net(Scaled, TFKerasTrial):
    def build_model(self, hparams):
        model = Sequential([Dense(1)])
        model.compile(loss=self.scaled(), optimizer=self.sgd())
        return model
""",
    "that of a KerasTrial whose parts draw random numbers": """
class Net(Scaled, KerasTrial):
    def build_model(self, hparams):
        return Sequential([Dense(1, input_shape=(4,))])

    def optimizer(self):
        return self.sgd()

    def loss(self):
        return self.scaled()

    def training_metrics(self):
        return {"a": self.scaled()}

    def validation_metrics(self):
        return {"b": self.scaled()}

    def batch_size(self):
        return 8
""",
}


@pytest.mark.parametrize("name", TRIALS)
def test_the_same_model_is_trained(name: str, tmp_path: Path) -> None:
    files = {
        "model_def.py": HEAD + TRIALS[name],
        "__init__.py": "from model_def import Net, make_data_loaders\n",
        "const.yaml": CONFIG.replace("metric: loss", "metric: val_loss")
        if "KerasTrial" not in name
        else CONFIG,
    }

    done = pedl2det("verify", write_tree(tmp_path / "trial", files))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "compared 12 batches" in done.stdout


def test_the_model_that_a_script_fits_is_trained(tmp_path: Path) -> None:
    script = HEAD.partition("class Rows")[0] + (
        "x = np.random.rand(50, 4)\ny = x.sum(axis=1)\n\n"
        "def made(units):\n    model = Sequential([Dense(units), Dense(1)])\n"
        '    model.compile("adam", "mse")\n    return model\n\n'
        "teacher = made(16)\nstudent = made(2)\nother = made(3)\n"
        "student.fit(x, y, 8, validation_data=(x, y))\n"
    )
    config = CONFIG.replace("batch_size: 8", "global_batch_size: 8").replace("loss", "val_loss")
    files = {"train.py": script, "const.yaml": "entrypoint: {script: train.py}\n" + config}

    done = pedl2det("verify", write_tree(tmp_path / "trial", files))

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("equal for ")
