"""Several processes: ``pedl2det run --slots 2`` against a Horovod script by hand, and against one.

All train the same model on batches of the same size per process, and are timed from their first
report to their last. More processes than cores only show what they cost each other.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

from comparison import Comparison, in_turns, used

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
hyperparameters: {{{{global_batch_size: {{batch}}}}}}
scheduling_unit: {PERIOD}
searcher: {{{{name: single, metric: val_loss, max_length: {{{{batches: {REPORTS * PERIOD}}}}}}}}}
checkpoint_policy: none
"""


def measure(rounds: int) -> list[Comparison]:
    """Measure samples a second."""
    horovodrun = Path(sys.executable).with_name("horovodrun")
    with tempfile.TemporaryDirectory() as scratch:
        trial = Path(scratch, "trial")
        trial.mkdir()
        (trial / "common.py").write_text(COMMON)
        (trial / "model_def.py").write_text(TRIAL)
        (trial / "by_hand.py").write_text(BY_HAND)
        script = (horovodrun, "-np", "2", "--gloo", sys.executable, trial / "by_hand.py")
        found = in_turns(
            {
                "2": lambda: _ours(trial, 2),
                "by hand": lambda: _samples_a_second(2, *script),
                "1": lambda: _ours(trial, 1),
                "4": lambda: _ours(trial, 4),
            },
            rounds,
        )
    cores = os.cpu_count()
    return [
        Comparison(
            f"{ranks} processes, {cores} cores",
            found[ranks],
            against,
            found[other],
            "samples/s",
            target,
        )
        for ranks, against, other, target in (
            ("2", "Horovod by hand, 2 processes", "by hand", 1.0),
            ("2", "1 process", "1", None),
            ("4", "2 processes", "2", None),
        )
    ]


def _ours(trial: Path, ranks: int) -> float:
    (trial / "const.yaml").write_text(CONFIG.format(batch=ranks * BATCH))
    with tempfile.TemporaryDirectory() as out:
        run = (sys.executable, "-m", "pedl2det", "run", trial, "--slots", ranks)
        return _samples_a_second(ranks, *run, "--out", f"{out}/run")


def _samples_a_second(ranks: int, *command: object) -> float:
    """What all processes train in a second, as the slowest of them measured it."""
    done = used(command)
    seconds = max(map(float, re.findall(r"SECONDS (\S+)", done.output)))
    return ranks * BATCH * PERIOD * (REPORTS - 1) / seconds
