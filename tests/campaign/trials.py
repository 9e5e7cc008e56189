"""Trials that are killed: each keeps state in another place."""

from __future__ import annotations

import shutil
from pathlib import Path

from support import EXAMPLES, write_tree
from test_resume import MIXED_PRECISION, OWN_GENERATOR, PLAIN_KERAS_CALLBACK, TWO_OPTIMIZERS
from test_run import CONFIG, MODEL
from test_signals import DATASET

_NOISY = DATASET.replace(
    "dataset.shuffle(", "dataset.map(lambda x, y: (x + tf.random.normal((3,)), y)).shuffle("
)
_SUBCLASS = (
    MODEL.replace(
        """tf.keras.Sequential(
            [tf.keras.layers.Dense(4), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)]
        )""",
        "Net()",
    )
    + """

class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.norm = tf.keras.layers.BatchNormalization()
        self.drop = tf.keras.layers.Dropout(0.5)
        self.last = tf.keras.layers.Dense(1)

    def call(self, x, training=False):
        return self.last(self.drop(self.norm(x, training=training), training=training))
"""
)
_GRAPH = MODEL.replace(
    "\n\n\nclass T(",
    "\n\ntf.compat.v1.disable_eager_execution()\nK = tf.keras.backend\n\n\nclass T(",
).replace(
    "tf.keras.layers.Dense(1)]",
    "tf.keras.layers.Lambda(lambda x: x + K.random_normal(K.shape(x))), tf.keras.layers.Dense(1)]",
)
_STOPPING = (
    MODEL
    + """
    def keras_callbacks(self):
        from determined.keras.callbacks import EarlyStopping

        return [EarlyStopping(patience=6, min_delta=0.01, restore_best_weights=True)]
"""
)
_RETENTION = "checkpoint_storage: {save_trial_best: 1, save_trial_latest: 2}\n"


def trials() -> dict[str, dict[str, str]]:
    """The files of each trial, by its name."""
    models = {
        "arrays, dropout, Adam": MODEL,
        "tf.data, shuffled, with noise": _NOISY,
        "subclassed model in TensorFlow's format": _SUBCLASS,
        "Sequence with a generator of its own": OWN_GENERATOR,
        "two optimizers": TWO_OPTIMIZERS,
        "mixed precision": MIXED_PRECISION,
        "Keras callback that counts": PLAIN_KERAS_CALLBACK,
        "graph mode, dropout, noise": _GRAPH,
        "early stopping": _STOPPING,
        "retention": MODEL,
    }
    config = CONFIG.replace("{batches: 60}", "{batches: 600}")
    configs = {"retention": config.replace("checkpoint_policy: none", "") + _RETENTION}
    return {
        name: {"model_def.py": model, "const.yaml": configs.get(name, config)}
        for name, model in models.items()
    }


def write_trials(home: Path) -> list[Path]:
    """Write all of them, and the examples of PEDL beside them; returns their directories."""
    written = [
        write_tree(home / name.partition(",")[0].replace(" ", "-"), files)
        for name, files in trials().items()
    ]
    return written + [
        Path(shutil.copytree(EXAMPLES / name, home / name)) for name in ("iris", "digits")
    ]
