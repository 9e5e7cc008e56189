"""Trials that are trained on one process and on several, and must come out the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from training import Trial as Plain
from training import X, Y

keras = tf.keras


class Ordered(Plain):
    """Batches in their order: those of two ranks are the halves of one process's batches."""

    def __init__(self, context: Any) -> None:
        super().__init__(context)
        context.configure_fit(shuffle=False)

    def optimizer(self) -> Any:
        return keras.optimizers.SGD(0.1)

    def layers(self) -> list[Any]:
        return [
            keras.layers.Dense(4, activation="tanh", input_shape=(3,)),
            keras.layers.Dense(1),
        ]

    def build_model(self) -> Any:
        model = self.context.wrap_model(keras.Sequential(self.layers()))
        model.compile(self.optimizer(), "mse", metrics=["mae"])
        return model


class Adam(Ordered):
    def optimizer(self) -> Any:
        return self.context.wrap_optimizer(keras.optimizers.Adam(0.1))


class OldAdam(Ordered):
    def optimizer(self) -> Any:
        return self.context.wrap_optimizer(keras.optimizers.legacy.Adam(0.1))


class ByName(Ordered):
    def optimizer(self) -> Any:
        return "rmsprop"


class Clipped(Ordered):
    """Clipped after averaging: the halves of a batch have other norms than the whole."""

    def optimizer(self) -> Any:
        return keras.optimizers.SGD(0.5, global_clipnorm=0.05)


class Scaled(Ordered):
    """Scales the loss, as mixed precision does."""

    def optimizer(self) -> Any:
        inner = self.context.wrap_optimizer(keras.optimizers.legacy.SGD(0.1))
        return keras.mixed_precision.LossScaleOptimizer(inner)


class Sparse(Ordered):
    """Gradients of an embedding are slices."""

    def layers(self) -> list[Any]:
        return [
            keras.layers.Embedding(60, 4, input_length=3),
            keras.layers.Flatten(),
            keras.layers.Dense(1),
        ]

    def build_training_data_loader(self) -> Any:
        return (X * 60).astype(np.int32), Y

    build_validation_data_loader = build_training_data_loader


class Dataset(Ordered):
    """Sharded by record, before batches are made."""

    def build_training_data_loader(self) -> Any:
        dataset = self.context.wrap_dataset(tf.data.Dataset.from_tensor_slices((X, Y)))
        return dataset.batch(self.context.get_per_slot_batch_size())

    build_validation_data_loader = build_training_data_loader


class OwnSteps(Ordered):
    """Trains its layers in turn, each with an optimizer of its own."""

    def build_model(self) -> Any:
        first, second = (
            self.context.wrap_optimizer(keras.optimizers.SGD(rate)) for rate in (0.1, 0.05)
        )

        class Model(keras.Sequential):
            def train_step(self, data: Any) -> Any:
                x, y = data
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
                half = len(self.trainable_variables) // 2
                gradients = tape.gradient(loss, self.trainable_variables)
                pairs = list(zip(gradients, self.trainable_variables, strict=True))
                first.apply_gradients(pairs[:half])
                second.apply_gradients(pairs[half:])
                return {"loss": loss}

        model = self.context.wrap_model(Model(self.layers()))
        model.compile(loss="mse")
        return model


class FirstStep(Ordered):
    """After one batch the weights are the gradient, with its sign turned."""

    def optimizer(self) -> Any:
        return keras.optimizers.SGD(1.0)

    def layers(self) -> list[Any]:
        return [keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(3,))]


#: Those whose gradients of half batches average to those of the whole batch.
SAME_ON_TWO = {
    kind.__name__: kind
    for kind in (Ordered, Adam, OldAdam, ByName, Clipped, Scaled, Sparse, Dataset, OwnSteps)
}


class Normalized(Ordered):
    """Moving averages are of what each rank has seen."""

    def layers(self) -> list[Any]:
        return [keras.layers.BatchNormalization(input_shape=(3,)), keras.layers.Dense(1)]


class Random(Ordered):
    """Draws in its layers, in its data, and by a generator of its own."""

    def __init__(self, context: Any) -> None:
        super().__init__(context)
        context.configure_fit(shuffle=True)

    def optimizer(self) -> Any:
        return keras.optimizers.Adam(0.05)

    def layers(self) -> list[Any]:
        return [*super().layers()[:1], keras.layers.Dropout(0.5), *super().layers()[1:]]

    def build_training_data_loader(self) -> Any:
        size = self.context.get_per_slot_batch_size()

        class Noisy(keras.utils.Sequence):
            def __init__(self) -> None:
                self.own = np.random.RandomState(3)

            def __len__(self) -> int:
                return len(X) // size

            def __getitem__(self, index: int) -> Any:
                part = slice(index * size, (index + 1) * size)
                noise = self.own.normal(size=X[part].shape) + np.random.normal(size=X[part].shape)
                return X[part] + 0.1 * noise, Y[part]

        return Noisy()


class StopsOnOne(Ordered):
    """Rank 1 alone wants to stop."""

    def keras_callbacks(self) -> list[Any]:
        context = self.context

        class Stop(keras.callbacks.Callback):
            def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
                if context.distributed.get_rank() == context.distributed.get_size() - 1:
                    self.model.stop_training = True

        return [Stop()]


class Diverges(Ordered):
    """Rank 1 alone learns faster."""

    def keras_callbacks(self) -> list[Any]:
        rank = self.context.distributed.get_rank()

        class Faster(keras.callbacks.Callback):
            def on_train_begin(self, logs: Any = None) -> None:
                self.model.optimizer.learning_rate.assign(0.1 + rank / 10)

        return [Faster()]
