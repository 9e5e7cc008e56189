"""Train with ``DeterminedCallback`` and print what it reported: ours, or that of Determined.

python drive_determined_callback.py ours|theirs   # in an empty directory
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pedl2det_runtime

if sys.argv[1] == "ours":
    pedl2det_runtime.stub_path.serve_first()

import numpy as np
import tensorflow as tf
from determined import core
from determined.keras import DeterminedCallback

X = np.arange(16, dtype="float32").reshape(8, 2) / 16
Y = X.sum(axis=1, keepdims=True)
seen: list[Any] = []


def keep(self: Any, group: str, steps_completed: int, metrics: dict[str, Any]) -> None:
    seen.append([group, steps_completed, {name: float(metrics[name]) for name in sorted(metrics)}])


for name in ("TrainContext", *(["DummyTrainContext"] if sys.argv[1] == "theirs" else [])):
    kind = getattr(core, name)
    kind.report_metrics = keep


def train(checkpoint: str | None, continue_id: int, epochs: int, **more: Any) -> str:
    """Train; return the last checkpoint."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.set_weights([np.array([[0.1], [0.2]], "float32"), np.zeros(1, "float32")])
    model.compile(tf.keras.optimizers.SGD(0.01, momentum=0.9), "mse", metrics=["mae"])
    with core.init(checkpoint_storage=str(Path("../checkpoints").resolve())) as context:
        callback = DeterminedCallback(context, checkpoint, continue_id, **more)
        data = {"batch_size": 2, "validation_data": (X, Y), "verbose": 0, "shuffle": False}
        history = model.fit(X, Y, epochs=epochs, callbacks=[callback], **data)
    seen.append(history.epoch)
    found = sorted(Path("../checkpoints").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    seen.append([len(found), json.loads((found[-1] / "metadata.json").read_text())])
    seen.append([weights.tolist() for weights in model.get_weights()])
    return found[-1].name


first = train(None, 1, 2)
second = train(first, 1, 4)  # continued
train(second, 1, 4)  # nothing is left
train(second, 2, 1, train_metrics_report_period=3)  # another training, from its weights
train(None, 3, 3, train_metrics_report_period=3, checkpoint_epochs=2)
print("SEEN", json.dumps(seen))
