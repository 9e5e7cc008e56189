"""What a proof speaks of: the code that ran, as a cluster runs it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support import EXAMPLES, pedl2det, write_tree

MODEL = """\
import tensorflow as tf
from data import Half, make_data_loaders
from pedl.frameworks.keras import TFKerasTrial


class Trial(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([Half(), tf.keras.layers.Dense(1)])
        if hparams["rate"] > 0.5:
            rate = 0.5
        elif hparams["rate"] < 0.001:
            rate = NEVER
        else:
            rate = hparams["rate"]
        model.compile(tf.keras.optimizers.SGD(rate), "mse")
        return model

    def keras_callbacks(self, hparams):
        class Late(tf.keras.callbacks.Callback):
            def on_epoch_end(self, epoch, logs=None):
                if epoch > 90:
                    self.model.stop_training = True

        return [Late()]
"""
DATA = """\
import numpy as np
import tensorflow as tf
from pedl.frameworks.keras.data import KerasDataAdapter
from pedl.frameworks.keras import wrap_dataset


class Half(tf.keras.layers.Layer):  # AutoGraph converts its method
    def call(self, inputs):
        if tf.reduce_sum(inputs) > 0:
            return inputs / 2
        return inputs


class Rows(tf.keras.utils.Sequence):  # other processes load them
    def __len__(self):
        return 4

    def __getitem__(self, index):
        x = np.full((8, 3), index, "float32")
        return x, x[:, :1]


def rows():  # on a thread of TensorFlow
    for number in range(16):
        x = np.full(3, number, "float32")
        yield x, x[:1]


def unused():
    return 1


def make_data_loaders(experiment_config, hparams):
    held_out = tf.data.Dataset.from_generator(rows, (tf.float32, tf.float32), ([3], [1]))
    train = KerasDataAdapter(Rows(), workers=2, use_multiprocessing=True)
    return train, wrap_dataset(held_out).batch(8)
"""
CONFIG = """\
hyperparameters: {batch_size: 8, rate: 0.01}
searcher: {name: single, metric: val_loss, max_steps: 1, smaller_is_better: true}
batches_per_step: 12
"""


@pytest.mark.slow
def test_code_that_no_training_executed_is_named(tmp_path: Path) -> None:
    directory = write_tree(
        tmp_path / "trial",
        {
            "__init__.py": "from model_def import Trial\nfrom data import make_data_loaders\n",
            "model_def.py": MODEL,
            "data.py": DATA,
            "const.yaml": CONFIG,
            "fast.yaml": CONFIG.replace("0.01", "0.7"),  # the first branch, trained for its sake
        },
    )

    done = pedl2det("migrate", directory)

    assert "trial: proved" in done.stderr and "by fast.yaml: equal" in done.stderr
    (told,) = (line for line in done.stderr.splitlines() if "Not executed:" in line)
    named = [place.rpartition(":") for place in told.partition(": ")[2].split(", ")]
    code = {
        (name, (directory / name).read_text().splitlines()[int(line) - 1].strip())
        for name, _, line in named
    }
    assert code == {
        ("data.py", "return 1"),
        ("model_def.py", "rate = NEVER"),
        ("model_def.py", "self.model.stop_training = True"),
    }


@pytest.mark.slow
def test_a_migrated_trial_is_served_no_old_names(
    tmp_path: Path, example: Callable[[str], Path]
) -> None:
    old, new = example("iris"), tmp_path / "new"
    shutil.copytree(EXAMPLES / "iris_migrated", new)
    model = new / "model_def.py"
    use = "import tensorflow as tf\n\ntf.to_float(1)\n"
    model.write_text(f"{model.read_text()}\n{use}")

    done = pedl2det("verify", old, "--against", new, "--batches", "5")

    assert done.returncode == 1
    assert "the new trial does not train" in done.stderr
    assert "module 'tensorflow' has no attribute 'to_float'" in done.stderr
    assert pedl2det("run", new, "--test").returncode == 0  # which serves it
