"""Exact resume of trials that remember things in unusual places."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import pedl2det, write_tree
from test_run import CONFIG, MODEL, assert_goes_on, trained

pytestmark = pytest.mark.slow

HEAD = MODEL[: MODEL.index("    def build_training_data_loader")]
LOADERS = MODEL[MODEL.index("    def build_training_data_loader") :]

OWN_GENERATOR = (
    HEAD
    + """
    def build_training_data_loader(self):
        self.context.configure_fit(workers=3)
        return Rows()

    def build_validation_data_loader(self):
        return Rows()


class Rows(tf.keras.utils.Sequence):
    def __init__(self):
        self.random = np.random.default_rng(3)
        self.files = [f"{number}.png" for number in range(5)]

    def __len__(self):
        return 5

    def __getitem__(self, index):
        x = self.random.normal(size=(8, 3)) + int(self.files[index][0])
        return x, x.sum(axis=1)

    def on_epoch_end(self):
        np.random.shuffle(self.files)
"""
)
TWO_OPTIMIZERS = (
    """\
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial


class Pair(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.left, self.right = tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)

    def compile(self, left, right, **kwargs):
        super().compile(left, **kwargs)
        self.left_optimizer, self.right_optimizer = left, right

    def call(self, x):
        return self.right(self.left(x))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        for part, optimizer in (
            (self.left, self.left_optimizer), (self.right, self.right_optimizer)
        ):
            variables = part.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {"loss": loss}


class T(TFKerasTrial):
    def build_model(self):
        model = self.context.wrap_model(Pair())
        adam = self.context.wrap_optimizer(tf.keras.optimizers.Adam(0.01))
        momentum = self.context.wrap_optimizer(tf.keras.optimizers.legacy.SGD(0.01, momentum=0.9))
        model.compile(adam, momentum, loss="mse")
        return model

"""
    + LOADERS
)
MIXED_PRECISION = (
    HEAD.replace(
        "    def build_model(self):\n",
        "    def build_model(self):\n"
        "        tf.keras.mixed_precision.set_global_policy('mixed_float16')\n",
    )
    + LOADERS
)
PLAIN_KERAS_CALLBACK = (
    HEAD
    + LOADERS
    + """
    def keras_callbacks(self):
        return [Halving()]


class Halving(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def on_test_end(self, logs=None):
        self.seen += 1
        if self.seen % 3 == 0:
            rate = self.model.optimizer.learning_rate
            rate.assign(rate * 0.9)
"""
)


@pytest.mark.kills
@pytest.mark.turns(4)
@pytest.mark.parametrize(
    "model",
    [
        pytest.param(OWN_GENERATOR, id="a generator and file names of the sequence's own"),
        pytest.param(TWO_OPTIMIZERS, id="two optimizers, each for a part of the model"),
        pytest.param(MIXED_PRECISION, id="mixed precision with its loss scale"),
        pytest.param(PLAIN_KERAS_CALLBACK, id="a plain Keras callback that counts"),
    ],
)
def test_it_goes_on_to_the_same_weights(model: str, tmp_path: Path) -> None:
    directory = write_tree(tmp_path / "trial", {"model_def.py": model, "const.yaml": CONFIG})
    more = ("--set", "searcher.max_length.batches=2000")
    assert_goes_on(directory, tmp_path, 50, *more)


def test_results_may_lie_in_the_trials_directory(tmp_path: Path) -> None:
    directory = write_tree(tmp_path / "trial", {"model_def.py": MODEL, "const.yaml": CONFIG})

    done = pedl2det("run", ".", cwd=directory)

    assert done.returncode == 0, done.stderr
    copies = sorted((directory / "runs").rglob("*.py"))
    assert {path.name for path in copies} == {"model_def.py"}
    assert all(path.parent.name == "code" for path in copies)


def test_a_resume_without_a_checkpoint_says_so_and_keeps_the_old_reports(tmp_path: Path) -> None:
    directory = write_tree(tmp_path / "trial", {"model_def.py": MODEL, "const.yaml": CONFIG})
    report = '{"kind": "training", "batches": 7, "epochs": 1.4, "metrics": {"loss": 0.5}}\n'
    out = write_tree(tmp_path / "out", {"metrics.jsonl": report})

    said = trained(directory, out, "--resume", "--test")

    assert f"no checkpoint in {out}: the run starts at batch 0" in said
    assert (out / "metrics.jsonl.before").read_text() == report
    missing = pedl2det("run", directory, "--out", tmp_path / "mistyped", "--resume")
    assert missing.returncode == 2
    assert "--resume: " in missing.stderr


def test_a_policy_of_the_best_gets_over_a_nan(tmp_path: Path) -> None:
    model = HEAD.replace('"mse")', '"mse", metrics=[late])') + LOADERS.replace(
        "    def build_validation", "    def build_validation", 1
    )
    model = model.replace(
        "class T(",
        "COUNT = tf.Variable(0.0)\n\n\ndef late(y, p):\n"
        "    return tf.where(COUNT < 1.0, float('nan'), 1.0) + 0.0 * tf.reduce_sum(p)\n\n\n"
        "class T(",
    )
    model += """
    def keras_callbacks(self):
        return [tf.keras.callbacks.LambdaCallback(on_train_batch_end=lambda b, l: None)] + [After()]


class After(tf.keras.callbacks.Callback):
    def on_test_end(self, logs=None):
        COUNT.assign_add(1.0)
"""
    config = CONFIG.replace("policy: none", "policy: best").replace("val_loss", "val_late")
    config = config.replace("min_checkpoint_period: {batches: 20}\n", "")
    directory = write_tree(tmp_path / "trial", {"model_def.py": model, "const.yaml": config})
    trained(directory, tmp_path / "out", "--set", "min_validation_period.batches=20")

    kept = (tmp_path / "out" / "checkpoints").glob("*/metadata.json")
    assert sorted('"steps_completed": 40' in path.read_text() for path in kept)[-1]
