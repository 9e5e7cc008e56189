"""Two processes: `pedl2det run --slots 2` against a Horovod script by hand, samples a second.

    python benchmarks/ranks.py [REPEATS]

Both train the same model on the same batches, and are timed from their first report to their last.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

BATCH, REPORTS, PERIOD = 64, 20, 100  # records of one process; batches between two reports

COMMON = f"""\
import time
import numpy as np
import tensorflow as tf

BATCH, REPORTS, PERIOD = {BATCH}, {REPORTS}, {PERIOD}


def arrays():
    random = np.random.RandomState(0)
    x = random.random_sample((BATCH * 200, 784)).astype("float32")
    return x, random.randint(0, 10, len(x))


def layers():
    return [tf.keras.layers.Dense(512, activation="relu", input_shape=(784,)),
            tf.keras.layers.Dense(512, activation="relu"),
            tf.keras.layers.Dense(10, activation="softmax")]


def passed(times):
    print("SECONDS", times[-1] - times[0], flush=True)
"""
BY_HAND = """\
from common import *
import horovod.tensorflow.keras as hvd

hvd.init()
x, y = arrays()
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)
data = data.shard(hvd.size(), hvd.rank()).repeat().prefetch(2)
model = tf.keras.Sequential(layers())
optimizer = hvd.DistributedOptimizer(tf.keras.optimizers.legacy.SGD(0.01))
model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
times = []


class Watch(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        # Horovod's MetricAverageCallback takes Keras 3 for granted.
        averaged = {name: hvd.allreduce(tf.constant(logs[name])).numpy() for name in sorted(logs)}
        times.append(time.perf_counter())


model.fit(data, steps_per_epoch=PERIOD, epochs=REPORTS, verbose=0,
          callbacks=[hvd.callbacks.BroadcastGlobalVariablesCallback(0),
                     Watch()])
if hvd.rank() == 0:
    passed(times)
"""
TRIAL = """\
from common import *
from determined.keras import TFKerasTrial, callbacks

times = []


class Watch(callbacks.Callback):
    def on_train_workload_end(self, total_batches_trained, logs):
        times.append(time.perf_counter())
        if len(times) == REPORTS:
            passed(times)


class T(TFKerasTrial):
    def __init__(self, context):
        self.context = context
        context.configure_fit(shuffle=False)

    def build_model(self):
        model = self.context.wrap_model(tf.keras.Sequential(layers()))
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.SGD(0.01))
        model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
        return model

    def build_training_data_loader(self):
        return arrays()

    build_validation_data_loader = build_training_data_loader

    def keras_callbacks(self):
        return [Watch()]
"""
CONFIG = f"""\
entrypoint: model_def:T
hyperparameters: {{global_batch_size: {2 * BATCH}}}
scheduling_unit: {PERIOD}
searcher: {{name: single, metric: val_loss, max_length: {{batches: {REPORTS * PERIOD}}}}}
checkpoint_policy: none
"""


def samples_a_second(*command: str | Path) -> float:
    """What both processes train in a second, as the first of them measured it."""
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TF_USE_LEGACY_KERAS": "1"},
    )
    found = re.search(r"SECONDS (\S+)", done.stdout)
    assert found, done.stdout + done.stderr
    return 2 * BATCH * PERIOD * (REPORTS - 1) / float(found[1])


def main(repeats: int) -> None:
    """Measure in turns and print the rates and their ratio."""
    horovodrun = Path(sys.executable).with_name("horovodrun")
    with tempfile.TemporaryDirectory() as scratch:
        trial = Path(scratch, "trial")
        trial.mkdir()
        (trial / "common.py").write_text(COMMON)
        (trial / "model_def.py").write_text(TRIAL)
        (trial / "const.yaml").write_text(CONFIG)
        (trial / "by_hand.py").write_text(BY_HAND)
        by_hand, ours = [], []
        for number in range(repeats):
            script = trial / "by_hand.py"
            by_hand.append(
                samples_a_second(horovodrun, "-np", "2", "--gloo", sys.executable, script)
            )
            out = ("--out", f"{scratch}/{number}")
            run = (sys.executable, "-m", "pedl2det", "run", trial, "--slots", "2")
            ours.append(samples_a_second(*run, *out))
    hand, run_ = statistics.median(by_hand), statistics.median(ours)
    print(f"by hand {hand:.0f} samples/s, pedl2det {run_:.0f} samples/s: ratio {run_ / hand:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
