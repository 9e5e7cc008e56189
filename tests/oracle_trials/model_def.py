"""Small context-based trials, one for each kind of data or model; the entrypoint chooses.

Whoever trains them can be compared with whoever else does: the metrics name the records of each
batch, and what the callbacks were told and what was trained is written beside the TensorBoard
events.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext
from determined.keras.callbacks import Callback

# pedl2det turns this on for every trial, so that a resumed run draws what it would have drawn;
# Determined leaves it to the trial.
tf.keras.backend.experimental.enable_tf_random_generator()

BATCH = 8
RECORDS, VALIDATED = 45, 20  # six batches, the last of five; three, the last of four
_random = np.random.RandomState(0)
X = np.column_stack([np.arange(RECORDS) / RECORDS, _random.normal(size=(RECORDS, 3))])
X = X.astype(np.float32)  # the first column tells the records apart
Y = _random.randint(3, size=(RECORDS, 1))
WEIGHTS = _random.uniform(0.5, 2, size=RECORDS).astype(np.float32)


def which(x: Any) -> dict[str, tf.Tensor]:
    """The records of a batch as metrics: the first, the last, and a number for their order."""
    numbers = tf.round(tf.nest.flatten(x)[0][:, 0] * RECORDS)
    places = tf.range(1.0, tf.cast(tf.size(numbers), tf.float32) + 1)
    return {
        "first_record": numbers[0],
        "last_record": numbers[-1],
        "order": tf.reduce_sum(numbers * places),
    }


class Watched(tf.keras.Model):
    """A functional model that adds to its metrics which batch it was given."""

    def train_step(self, data: Any) -> dict[str, Any]:
        x, _, _ = tf.keras.utils.unpack_x_y_sample_weight(data)
        return super().train_step(data) | which(x)

    def test_step(self, data: Any) -> dict[str, Any]:
        x, _, _ = tf.keras.utils.unpack_x_y_sample_weight(data)
        return super().test_step(data) | which(x)


class Calls(Callback):
    """Writes down every call, with its numbers and its logs."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path

    def set_params(self, params: dict[str, Any]) -> None:
        super().set_params(params)
        self.write("set_params", params)

    def set_model(self, model: Any) -> None:
        super().set_model(model)
        self.write("set_model")

    def get_state(self) -> str:
        self.write("get_state")
        return "a state"

    def on_checkpoint_end(self, checkpoint_dir: str) -> None:
        self.write("on_checkpoint_end", Path(checkpoint_dir).is_dir())

    def write(self, hook: str, *arguments: Any) -> None:
        """Add one call; at the end of a workload or a validation, what the metrics hold too."""
        lines = [[hook, *arguments]]
        if hook in ("on_train_workload_end", "on_test_end"):
            held = {metric.name: metric.result() for metric in self.model.metrics}
            lines.append(["model.metrics", held])
        with self._path.open("a") as file:
            file.writelines(json.dumps(line, default=float) + "\n" for line in lines)


def _written(hook: str) -> Any:
    def write(self: Calls, *arguments: Any) -> None:
        self.write(hook, *arguments)

    return write


for _hook in (
    *("on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end"),
    *("on_train_batch_begin", "on_train_batch_end", "on_test_begin", "on_test_end"),
    *("on_test_batch_begin", "on_test_batch_end"),
    *("on_train_workload_begin", "on_train_workload_end", "load_state"),
):
    setattr(Calls, _hook, _written(_hook))


class Weights(Callback):
    """Writes down what was trained: the weights of the layers, the variables of the optimizers."""

    def __init__(self, path: Path, optimizers: list[Any]) -> None:
        super().__init__()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._optimizers = optimizers

    def on_train_end(self, logs: Any = None) -> None:
        parts = {"layers": [w for layer in self.model.layers for w in layer.weights]}
        for number, optimizer in enumerate(self._optimizers):
            variables = optimizer.variables
            parts[f"optimizer-{number}"] = variables() if callable(variables) else variables
        arrays = {
            f"{name}/{i}": variable.numpy()
            for name, variables in parts.items()
            for i, variable in enumerate(variables)
        }
        np.savez(self._path, **arrays)


class Tuple(TFKerasTrial):
    """Arrays; their batches are read in random order unless the trial says otherwise."""

    metric = "sparse_categorical_accuracy"

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        self.optimizers = [context.wrap_optimizer(tf.keras.optimizers.Adam(0.01))]

    def layers(self) -> tuple[Any, Any]:
        """The model's inputs and outputs."""
        inputs = tf.keras.Input([X.shape[1]])
        hidden = tf.keras.layers.Dense(8, activation="relu")(inputs)
        return inputs, tf.keras.layers.Dense(3, activation="softmax")(hidden)

    def build_model(self) -> Any:
        model = self.context.wrap_model(Watched(*self.layers()))
        model.compile(
            self.optimizers[0],
            "sparse_categorical_crossentropy",
            metrics=[self.metric],
            weighted_metrics=[self.metric],
        )
        return model

    def build_training_data_loader(self) -> Any:
        return X, Y

    def build_validation_data_loader(self) -> Any:
        return X[:VALIDATED], Y[:VALIDATED]

    def keras_callbacks(self) -> list[Any]:
        where = Path(self.context.get_tensorboard_path())
        return [Calls(where / "calls.jsonl"), Weights(where / "weights.npz", self.optimizers)]


class InChunks(Tuple):
    """No callback acts on single batches, so that several may be trained in one execution."""

    def keras_callbacks(self) -> list[Any]:
        return super().keras_callbacks()[1:]


class Legacy(Tuple):
    """An optimizer as Keras had them before 2.11."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        optimizer = tf.keras.optimizers.legacy.RMSprop(0.01, momentum=0.5)
        self.optimizers = [context.wrap_optimizer(optimizer)]


class Accuracy(Tuple):
    """A metric that Keras chooses by what it knows of the shapes of the data."""

    metric = "accuracy"


class Slices(tf.keras.utils.Sequence):
    """Batches in the order of the records."""

    def __init__(self, records: int) -> None:
        self._order = np.arange(records)

    def __len__(self) -> int:
        return -(-len(self._order) // BATCH)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        chosen = self._order[BATCH * index : BATCH * (index + 1)]
        return X[chosen], Y[chosen]


class Rolling(Slices):
    """Each pass begins one record later than the pass before."""

    def on_epoch_end(self) -> None:
        self._order = np.roll(self._order, -1)


class NoisyRolling(Rolling):
    """Such batches, with noise from NumPy's global generator."""

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        x, y = super().__getitem__(index)
        x[:, 1] += np.random.normal(scale=0.1, size=len(x))
        return x, y


class ShuffledSequence(Tuple):
    """A Sequence, read in the random order that is the default."""

    metric = "accuracy"

    def build_training_data_loader(self) -> Any:
        return NoisyRolling(RECORDS)

    def build_validation_data_loader(self) -> Any:
        # One that changes itself could not be compared: Determined tells it of the end of a pass
        # once or twice a validation, as its threads happen to run.
        return Slices(VALIDATED)


class OrderedSequence(Tuple):
    """A Sequence that several threads read, in its own order."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        super().__init__(context)
        context.configure_fit(shuffle=False, workers=3)

    def build_training_data_loader(self) -> Any:
        return Rolling(RECORDS)

    def build_validation_data_loader(self) -> Any:
        return Slices(VALIDATED)


class Dataset(Tuple):
    """Datasets; the training data shuffle themselves, seeded by the trial's seed alone."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        super().__init__(context)
        context.configure_fit(validation_steps=2)

    def build_training_data_loader(self) -> Any:
        data = self.context.wrap_dataset(tf.data.Dataset.from_tensor_slices((X, Y)))
        return data.shuffle(RECORDS).batch(BATCH)

    def build_validation_data_loader(self) -> Any:
        data = tf.data.Dataset.from_tensor_slices((X[:VALIDATED], Y[:VALIDATED]))
        return self.context.wrap_dataset(data).batch(BATCH)


class DictInputs(Tuple):
    """Inputs by name."""

    def layers(self) -> tuple[Any, Any]:
        inputs = {name: tf.keras.Input([2], name=name) for name in ("a", "b")}
        joined = tf.keras.layers.Concatenate()([inputs["b"], inputs["a"]])
        return inputs, tf.keras.layers.Dense(3, activation="softmax")(joined)

    def build_training_data_loader(self) -> Any:
        return {"b": X[:, 2:], "a": X[:, :2]}, Y

    def build_validation_data_loader(self) -> Any:
        return {"b": X[:VALIDATED, 2:], "a": X[:VALIDATED, :2]}, Y[:VALIDATED]


class SampleWeights(Tuple):
    """Each record with a weight of its own."""

    def build_training_data_loader(self) -> Any:
        return X, Y, WEIGHTS

    def build_validation_data_loader(self) -> Any:
        return X[:VALIDATED], Y[:VALIDATED], WEIGHTS[:VALIDATED]


class ClassWeights(Tuple):
    """Each class with a weight of its own, in training."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        super().__init__(context)
        context.configure_fit(class_weight={0: 0.5, 1: 1.0, 2: 3.0})


class Dropout(Tuple):
    """Random layers, with a seed and without."""

    def layers(self) -> tuple[Any, Any]:
        inputs = tf.keras.Input([X.shape[1]])
        hidden = tf.keras.layers.Dense(32, activation="relu")(inputs)
        hidden = tf.keras.layers.Dropout(0.5, seed=3)(hidden)
        hidden = tf.keras.layers.GaussianNoise(0.1)(tf.keras.layers.Dropout(0.2)(hidden))
        return inputs, tf.keras.layers.Dense(3, activation="softmax")(hidden)


class Halves(tf.keras.Model):
    """Two layers, each trained by an optimizer of its own; built by the first batch it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.body = tf.keras.layers.Dense(8, activation="relu")
        self.head = tf.keras.layers.Dense(3)
        self.mean = tf.keras.metrics.Mean("loss")

    def compile(self, body_optimizer: Any, head_optimizer: Any) -> None:
        super().compile()
        self.body_optimizer = body_optimizer
        self.head_optimizer = head_optimizer

    def call(self, x: Any, training: bool = False) -> Any:
        return self.head(self.body(x))

    def train_step(self, data: Any) -> dict[str, Any]:
        x, y = data
        with tf.GradientTape(persistent=True) as tape:
            loss = self._loss(x, y)
        for layer, optimizer in (
            (self.body, self.body_optimizer),
            (self.head, self.head_optimizer),
        ):
            variables = layer.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        self.mean.update_state(loss)
        return {"loss": self.mean.result(), "last_loss": loss} | which(x)

    def test_step(self, data: Any) -> dict[str, Any]:
        x, y = data
        self.mean.update_state(self._loss(x, y))
        return {"loss": self.mean.result()} | which(x)

    @property
    def metrics(self) -> list[Any]:
        return [self.mean]

    def _loss(self, x: Any, y: Any) -> Any:
        return tf.reduce_mean(
            tf.keras.losses.sparse_categorical_crossentropy(y, self(x), from_logits=True)
        )


class TwoOptimizers(Tuple):
    """A subclassed model with its own training step."""

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        self.optimizers = [
            context.wrap_optimizer(tf.keras.optimizers.SGD(0.05, momentum=0.9)),
            context.wrap_optimizer(tf.keras.optimizers.Adam(0.01)),
        ]

    def build_model(self) -> Any:
        model = self.context.wrap_model(Halves())
        model.compile(*self.optimizers)
        return model


class Stop(Callback):
    """Asks for the end of the training at the end of the second epoch, amid a workload."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.model.stop_training = epoch == 1


class Stopped(Tuple):
    """A callback ends the training."""

    def keras_callbacks(self) -> list[Any]:
        return [*super().keras_callbacks(), Stop()]
