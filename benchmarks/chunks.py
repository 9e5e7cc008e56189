"""Many batches an execution against one by one: batches a second, as a ratio in one run.

    python benchmarks/chunks.py [REPEATS]

The model is a 784-128-10 network, batches of 32, as in the design of chunked execution. Both ways
are the runtime's own: a callback that acts on every batch makes it stop at each one.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

BATCHES = 4000

MODEL = """\
import time
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial


class Watch(tf.keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.model.watch = []

    def on_train_end(self, logs=None):
        print("SECONDS", time.perf_counter() - START[0])


class EveryBatch(Watch):
    def on_train_batch_end(self, batch, logs=None):
        pass


START = [0.0]


class T(TFKerasTrial):
    def build_model(self):
        layers = [tf.keras.layers.Dense(128, activation="relu", input_shape=(784,)),
                  tf.keras.layers.Dense(10, activation="softmax")]
        model = self.context.wrap_model(tf.keras.Sequential(layers))
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.SGD(0.01))
        model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
        return model

    def build_training_data_loader(self):
        random = np.random.RandomState(0)
        x = random.random_sample((32 * 100, 784)).astype("float32")
        return x, random.randint(0, 10, len(x))

    def build_validation_data_loader(self):
        x, y = self.build_training_data_loader()
        return x[:64], y[:64]

    def keras_callbacks(self):
        START[0] = time.perf_counter()
        return [EveryBatch() if self.context.get_hparam("every_batch") else Watch()]
"""
CONFIG = f"""\
entrypoint: model_def:T
hyperparameters: {{global_batch_size: 32, every_batch: false}}
searcher: {{name: single, metric: val_loss, max_length: {{batches: {BATCHES}}}}}
checkpoint_policy: none
"""


def seconds(directory: Path, every_batch: bool) -> float:
    """The seconds from the callbacks on to the end of one training."""
    override = f"hyperparameters.every_batch={str(every_batch).lower()}"
    with tempfile.TemporaryDirectory() as out:
        command = ["pedl2det", "run", str(directory), "--out", f"{out}/run", "--set", override]
        done = subprocess.run(
            [sys.executable, "-m", *command],
            capture_output=True,
            text=True,
            check=True,
        )
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("SECONDS"))
    return float(line.split()[1])


def main(repeats: int) -> None:
    """Measure in turns and print the rates and their ratio."""
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        (directory / "model_def.py").write_text(MODEL)
        (directory / "const.yaml").write_text(CONFIG)
        single, chunks = [], []
        for _ in range(repeats):
            single.append(seconds(directory, every_batch=True))
            chunks.append(seconds(directory, every_batch=False))
    one, many = (BATCHES / statistics.median(times) for times in (single, chunks))
    print(f"one by one {one:.0f} batches/s, in chunks {many:.0f} batches/s: ratio {many / one:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
