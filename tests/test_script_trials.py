"""A script and the trial that it becomes train the same, to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import EXAMPLES, pedl2det, write_tree

CONFIG = """\
entrypoint: {script: train.py}
hyperparameters: {units: 4, rate: 0.1}
searcher: {name: single, metric: val_loss, max_steps: 3}
batches_per_step: 7
min_validation_period: 2
reproducibility: {experiment_seed: 5}
"""
HEAD = """\
import numpy as np
import pedl
import tensorflow as tf
from tensorflow.keras.layers import Dense, Dropout, Flatten
from tensorflow.keras.models import Sequential
from tensorflow.keras.preprocessing.image import ImageDataGenerator

"""
SCRIPTS = {
    "arrays of which some are weighted, and what comes after": """
x = np.random.rand(50, 4)
y = np.random.randint(0, 2, 50)
w = np.random.rand(50)
model = Sequential([Dense(3, input_shape=(4,)), Dropout(0.5), Dense(1, activation="sigmoid")])
model.compile("rmsprop", "binary_crossentropy", metrics=["accuracy"])
h = model.fit(x, y, 8, 5, sample_weight=w, validation_data=(x[:13], y[:13]))
print("AFTER", model.evaluate(x, y, batch_size=16, verbose=0), sorted(h.history.items()))
""",
    "images that shuffle themselves, in functions": """
def train(model, images, labels, **options):
    shifted = ImageDataGenerator(rotation_range=20, featurewise_center=True)
    shifted.fit(images)
    return model.fit_generator(
        shifted.flow(images, labels, batch_size=8),
        steps_per_epoch=6,
        validation_data=(images, labels),
        workers=2,
    )


def main():
    images, labels = np.random.rand(50, 8, 8, 1), np.random.randint(0, 2, 50)
    model = Sequential([Flatten(input_shape=(8, 8, 1)), Dense(1)])
    model.compile(tf.keras.optimizers.SGD(lr=pedl.get_hyperparameter("rate"), decay=1e-3), "mse")
    train(model, images, labels)


if __name__ == "__main__":
    main()
""",
    "generators that draw, and callbacks that count epochs": """
def rows(n):
    while True:
        x = np.random.rand(n, 4)
        yield x, x.sum(axis=1)


def build(units):
    model = Sequential([Dense(units, input_shape=(4,)), Dense(1)])
    model.compile(tf.keras.optimizers.Adam(0.01), "mse")
    return model


net = build(pedl.get_hyperparameter("units"))
slower = tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5)
net.fit(
    rows(8), steps_per_epoch=3, callbacks=[slower], validation_data=rows(5), validation_steps=2
)
""",
    "arguments of Keras 1, and a callback that reads the validation": """
class Predicts(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        x, y = self.validation_data[:2]
        error = float(np.abs(self.model.predict(x, verbose=0) - y).mean())
        tf.keras.backend.set_value(self.model.optimizer.lr, 0.01 / (1 + error))


def rows(n):
    while True:
        x = np.random.rand(n, 4)
        yield x, x.sum(axis=1)


x = np.random.rand(12, 4)
model = Sequential([Dense(4, input_shape=(4,)), Dropout(0.2), Dense(1)])
model.compile(tf.keras.optimizers.SGD(lr=0.01), "mse")
model.fit_generator(
    rows(8), nb_epoch=9, nb_worker=1, max_q_size=2, callbacks=[Predicts()],
    validation_data=(x, x.sum(axis=1)),
)
""",
    "a method that is called with options, and goes on": """
class Trainer:
    def __init__(self, units):
        self.model = Sequential([Dense(units, input_shape=(4,)), Dropout(0.3), Dense(1)])
        self.model.compile("sgd", "mse")

    def run(self, **options):
        if self.model is None:
            return
        x, y = np.random.rand(50, 4), np.random.rand(50)
        with tf.name_scope("training"):
            history = self.model.fit(x, y, batch_size=8, validation_split=0.3, **options)
        print("AFTER", len(history.history["loss"]))


slower = tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5)
Trainer(pedl.get_hyperparameter("units")).run(callbacks=[slower], class_weight=None, workers=2)
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_and_its_trial_train_the_same(name: str, tmp_path: Path) -> None:
    files = {"train.py": HEAD + SCRIPTS[name], "const.yaml": CONFIG}

    done = pedl2det("verify", write_tree(tmp_path / "trial", files))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "compared 21 batches" in done.stdout
    assert done.stdout.startswith("equal for ")


@pytest.mark.slow
def test_the_example_is_proved_equal() -> None:
    done = pedl2det("verify", EXAMPLES / "digits_script", "--batches", 10)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("equal for ")


@pytest.mark.slow
def test_what_comes_after_the_training_sees_the_same(tmp_path: Path) -> None:
    script = SCRIPTS["arrays of which some are weighted, and what comes after"]
    files = {"train.py": HEAD + script, "const.yaml": CONFIG}
    old, new = (write_tree(tmp_path / which, files) for which in ("old", "new"))
    assert pedl2det("migrate", "--no-verify", new).returncode == 0

    said = [
        [line for line in done.stdout.splitlines() if line.startswith("AFTER")]
        for one in (old, new)
        for done in [pedl2det("run", one, "--out", tmp_path / f"{one.name}-out")]
    ]

    assert len(said[0]) == 1
    assert said[0] == said[1]


NATIVE = """\
import determined as det
import numpy as np
import tensorflow as tf
from determined.experimental.keras import init

config = {
    "hyperparameters": {"global_batch_size": det.Constant(4), "rate": det.Constant(0.1)},
    "searcher": {"name": "single", "metric": "val_loss", "max_steps": 2},
    "batches_per_step": 7,
    "reproducibility": {"experiment_seed": 5},
}
context = init(config=config, mode=det.Mode.SUBMIT, context_dir=".")
model = context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))]))
model.compile(tf.keras.optimizers.SGD(context.get_hparam("rate")), "mse")
x = np.random.rand(40, 3)
model.fit(x, x.sum(axis=1), batch_size=4, validation_data=(x, x.sum(axis=1)), epochs=99)
"""


@pytest.mark.slow
def test_a_script_of_the_native_api_is_run_and_proved_equal(tmp_path: Path) -> None:
    trial = write_tree(tmp_path / "trial", {"native.py": NATIVE})

    ran = pedl2det("run", trial / "native.py", "--out", tmp_path / "out", "--max-batches", 3)
    done = pedl2det("migrate", trial, "--verify")

    assert "trained 3 batches" in ran.stdout, ran.stderr
    assert done.returncode == 0, done.stdout + done.stderr
    assert (trial / "const.yaml").is_file()
