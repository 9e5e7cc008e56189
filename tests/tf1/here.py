"""Run ``pedl2det run`` on the weights and batches of a training on TensorFlow 1.14.

    python -m tf1.here RECORD_DIRECTORY [arguments of pedl2det run]

``RECORD_DIRECTORY`` holds what ``old/there.py`` wrote; ``here.json`` and ``here.npz`` are added.
Layers drop nothing. The metrics of a batch are those of this batch alone.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pedl2det_runtime.backends import keras_versions
from tf1.old import recording


class Recorder:
    """Puts weights and batches of TensorFlow 1.14 into a training loop, and records it.

    Args:
        directory: the record of TensorFlow 1.14.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._arrays = np.load(directory / "there.npz")
        self._record: dict[str, Any] = {"rates": [], "data": [], "names": {}, "logs": []}
        self._initial: list[Any] = []

    def install(self, loop: Any) -> None:
        """Record in the methods of the training loop."""
        for name in ("_open", "on_train_batch_begin", "on_train_batch_end", "_validate"):
            setattr(loop, name, _around(getattr(loop, name), getattr(self, name.lstrip("_"))))

    def open(self, call: Callable[..., Any], loop: Any, model: Any) -> Any:
        """Start from the old weights; put the old batches in place of the loader's."""
        recording.seed_host(loop._setup.context.get_trial_seed())
        dataset = call(loop, model)
        self._record["names"] = recording.names_of(model)
        self._initial = model.get_weights()
        model.set_weights(self._kept("before"))
        return dataset.map(self._swap)

    def on_train_batch_begin(self, call: Callable[..., Any], loop: Any, *args: Any) -> None:
        """Record the learning rate of this batch."""
        import tensorflow as tf

        call(loop, *args)
        rate = recording.learning_rate(loop.model, tf.keras.backend.get_value)
        self._record["rates"].append(rate)

    def on_train_batch_end(self, call: Callable[..., Any], loop: Any, batch: int, logs: Any) -> Any:
        """Record the names that callbacks get; begin the next batch with new metrics."""
        call(loop, batch, logs)
        self._record["logs"] = sorted(loop._callback_logs(logs))
        loop.model.reset_metrics()

    def validate(self, call: Callable[..., Any], loop: Any) -> None:
        """Write the record before the validation, which comes last."""
        recording.seed_host(loop._setup.context.get_trial_seed())
        weights = {"before": self._initial, "after": loop._setup.context.model.get_weights()}
        named = {
            f"{key}_{n:03}": one for key, kept in weights.items() for n, one in enumerate(kept)
        }
        np.savez(self._directory / "here.npz", **named)
        (self._directory / "here.json").write_text(json.dumps(self._record))
        call(loop)

    def _kept(self, name: str) -> list[Any]:
        names = [known for known in self._arrays.files if known.rpartition("_")[0] == name]
        return [self._arrays[known] for known in sorted(names)]

    def _swap(self, *batch: Any) -> Any:
        """Replace a batch of the loader by the old one of the same number."""
        import tensorflow as tf

        tensors = tf.nest.flatten(batch)
        swapped = tf.numpy_function(self._old, tensors, [tensor.dtype for tensor in tensors])
        for tensor, old in zip(tensors, swapped, strict=True):
            old.set_shape(tensor.shape)
        return tf.nest.pack_sequence_as(batch, swapped)

    def _old(self, *own: Any) -> list[Any]:
        """Return an old batch in the form of the loader's, and record how far the two differ."""
        kept = self._kept(f"batch{len(self._record['data'])}")
        if not kept:  # read ahead of the training
            return list(own)
        if len(kept) != len(own):
            raise ValueError(f"a batch of {len(kept)} arrays on TensorFlow 1.14, here {len(own)}")
        olds = [old.astype(new.dtype) for old, new in zip(kept, own, strict=True)]
        self._record["data"].append(max(map(_difference, olds, own)))
        return [old.reshape((len(old), *new.shape[1:])) for old, new in zip(olds, own, strict=True)]


def _difference(old: Any, new: Any) -> float:
    """Return the largest difference relative to the largest value; infinite for other shapes."""
    if old.size != new.size:
        return float("inf")
    old, new = old.ravel().astype(float), new.ravel().astype(float)
    return float(np.max(np.abs(old - new)) / (np.max(np.abs(old)) or 1.0))


def _around(method: Callable[..., Any], hook: Callable[..., Any]) -> Callable[..., Any]:
    def hooked(self: Any, *args: Any) -> Any:
        return hook(method, self, *args)

    return hooked


def main() -> None:
    """Install the recorder, and run the command line."""
    keras_versions.choose_keras_2()
    keras_versions.load_tensorflow()
    import tensorflow as tf

    from pedl2det.cli import main as command_line
    from pedl2det_runtime.training.loop import TrainingLoop

    recording.drop_nothing(tf.keras.layers)
    directory = Path(sys.argv.pop(1)).resolve()
    task = json.loads((directory / "task.json").read_text())
    recording.set_precision(tf.keras, task["floatx"])
    Recorder(directory).install(TrainingLoop)
    command_line()


if __name__ == "__main__":
    main()
