"""Which models train: their kinds, optimizers, losses and metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from determined.keras import callbacks

from pedl2det_runtime.errors import MetricError
from promises import promise
from training import Trial, X, Y, building, compiled, config, dense, functional, run

pytestmark = pytest.mark.versions

schedules = tf.keras.optimizers.schedules
legacy = tf.keras.optimizers.legacy


class Subclassed(tf.keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.layer = dense()

    def call(self, inputs: Any) -> Any:
        return self.layer(inputs)


@promise("002:23", "Sequential, functional and subclassed models train alike")
def test_kinds_of_models(tmp_path: Path) -> None:
    kinds = {
        "sequential": lambda: tf.keras.Sequential([dense(input_shape=(3,))]),
        "deferred": lambda: tf.keras.Sequential([dense()]),
        "functional": functional,
        "subclassed": Subclassed,
    }
    kernels = set()
    for name, make in kinds.items():
        trial = building(lambda trial, make=make: compiled(trial, make()))
        kernels.add(tuple(run(trial, tmp_path / name).kernel))
    assert len(kernels) == 1


class Halving(Subclassed):
    """Its own train_step: gradients of half the loss."""

    def train_step(self, data: Any) -> dict[str, Any]:
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        variables = self.trainable_variables
        gradients = [gradient / 2 for gradient in tape.gradient(loss, variables)]
        self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return {"loss": loss}


@promise("4.13", "a model's own train_step is used")
def test_a_train_step_of_its_own(tmp_path: Path) -> None:
    half = building(lambda trial: compiled(trial, Halving()))
    slow = building(
        lambda trial: compiled(trial, Subclassed(), optimizer=tf.keras.optimizers.SGD(0.05))
    )
    kernels = [run(trial, tmp_path / str(n)).kernel for n, trial in enumerate((half, slow))]
    assert kernels[0] == pytest.approx(kernels[1], rel=1e-5)


class Pair(tf.keras.Model):  # type: ignore[misc]
    """Two parts, each with an optimizer of its own that the model does not hold."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = dense(), dense()

    def call(self, inputs: Any) -> Any:
        return self.left(inputs) + self.right(inputs)

    def train_step(self, data: Any) -> dict[str, Any]:
        x, y = data
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        for part, optimizer in zip((self.left, self.right), OPTIMIZERS, strict=True):
            variables = part.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return {"loss": loss}


OPTIMIZERS: list[Any] = []


def pair(trial: Any) -> Any:
    model = trial.context.wrap_model(Pair())
    wrap = trial.context.wrap_optimizer
    OPTIMIZERS[:] = [wrap(tf.keras.optimizers.Adam(0.1)), wrap(legacy.SGD(0.1, momentum=0.9))]
    model.compile(loss="mse")
    return model


@promise("002:115", "the state of every wrapped optimizer is a part of the checkpoint")
def test_wrapped_optimizers_go_on(tmp_path: Path) -> None:
    """The model knows nothing of its two optimizers; only wrap_optimizer does."""
    whole = run(building(pair), tmp_path / "whole", config(9))
    run(building(pair), tmp_path / "parts", config(4))
    parts = run(building(pair), tmp_path / "parts", config(9), resume=True)
    assert parts.weights == whole.weights
    assert any("momentum" in name for name in whole.weights)


@promise("001:79", "legacy and new-style optimizers train, and go on after a resume")
@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.keras.optimizers.RMSprop(0.01, momentum=0.9),
        lambda: tf.keras.optimizers.Adam(schedules.ExponentialDecay(0.1, 3, 0.5)),
        lambda: legacy.RMSprop(0.01, decay=0.1),
        lambda: legacy.Adam(0.01, amsgrad=True),
    ],
)
def test_optimizers_go_on(make: Any, tmp_path: Path) -> None:
    trial = building(lambda trial: compiled(trial, functional(), optimizer=make()))
    whole = run(trial, tmp_path / "whole", config(9))
    run(trial, tmp_path / "parts", config(4))
    assert run(trial, tmp_path / "parts", config(9), resume=True).weights == whole.weights


@promise("4.13", "lr= and decay= of a trial before Keras 2.11 mean what they say")
def test_old_arguments_of_optimizers(tmp_path: Path) -> None:
    old = building(
        lambda trial: compiled(
            trial, functional(), optimizer=tf.keras.optimizers.SGD(lr=0.2, decay=0.5)
        )
    )
    kernel, bias = np.zeros((3, 1)), 0.0
    for batch in range(5):
        rows = slice(batch * 4, batch * 4 + 4)
        rate = 0.2 / (1 + 0.5 * batch)
        error = (X[rows] @ kernel + bias - Y[rows]) * 2 / 4
        kernel, bias = kernel - rate * X[rows].T @ error, bias - rate * error.sum()
    trained = run(old, tmp_path, config(5))
    assert trained.kernel == pytest.approx(np.ravel(kernel).tolist(), rel=1e-4)


@promise("001:79", "custom objects: layers, losses as bound methods, metrics of one's own")
def test_custom_objects(tmp_path: Path) -> None:
    class Scale(tf.keras.layers.Layer):  # type: ignore[misc]
        def build(self, shape: Any) -> None:
            self.factor = self.add_weight(name="factor", shape=(), initializer="ones")

        def call(self, inputs: Any) -> Any:
            return inputs * self.factor

    class Losses:
        def squared(self, y: Any, p: Any) -> Any:
            return tf.reduce_mean((y - p) ** 2, axis=-1)

    def largest(y: Any, p: Any) -> Any:
        return tf.reduce_max(tf.abs(y - p), axis=-1)

    def make(trial: Any) -> Any:
        model = tf.keras.Sequential([Scale(input_shape=(3,)), dense()])
        return compiled(trial, model, loss=Losses().squared, metrics=[largest])

    whole = run(building(make), tmp_path / "whole", config(9))
    run(building(make), tmp_path / "parts", config(4))
    assert run(building(make), tmp_path / "parts", config(9), resume=True).weights == whole.weights
    assert set(whole.reports[-1]["metrics"]) == {"val_loss", "val_largest"}


class PerClass(tf.keras.metrics.Metric):  # type: ignore[misc]
    """One number for each of three inputs."""

    def __init__(self) -> None:
        super().__init__(name="per_class")
        self.total = self.add_weight(name="total", shape=(3,), initializer="zeros")

    def update_state(self, y: Any, p: Any, sample_weight: Any = None) -> None:
        self.total.assign_add(tf.ones(3) * tf.reduce_sum(y))

    def result(self) -> Any:
        return self.total

    def reset_state(self) -> None:
        self.total.assign(tf.zeros(3))


@promise("4.7", "a metric that is no single number reaches the callbacks, and is not reported")
def test_a_metric_that_is_no_number(tmp_path: Path) -> None:
    seen = []

    class WithArrays(Trial):
        def build_model(self) -> Any:
            return compiled(self, functional(), metrics=[PerClass()])

        def keras_callbacks(self) -> list[Any]:
            return [
                tf.keras.callbacks.LambdaCallback(),
                Catch(seen),
            ]

    class Catch(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def __init__(self, into: list[Any]) -> None:
            super().__init__()
            self.into = into

        def on_test_end(self, logs: Any = None) -> None:
            self.into.append(np.shape(logs["val_per_class"]))

    trained = run(WithArrays, tmp_path)
    assert seen == [(3,)]
    assert set(trained.reports[-1]["metrics"]) == {"val_loss"}


@promise("4.7", "a searcher's metric that is missing, or no single number: RuntimeError")
@pytest.mark.parametrize("metric", ["val_acc", "val_per_class"])
def test_the_searchers_metric_must_be_there(metric: str, tmp_path: Path) -> None:
    given = config(searcher={"name": "single", "metric": metric, "max_length": {"batches": 4}})
    trial = building(lambda trial: compiled(trial, functional(), metrics=[PerClass()]))
    with pytest.raises(RuntimeError, match=f"searcher.metric: {metric} is none of the numbers"):
        run(trial, tmp_path, given)
    with pytest.raises(MetricError):
        run(trial, tmp_path / "again", given)


@promise("4.7", "training metrics of a workload are Keras' running averages since the last report")
def test_running_averages(tmp_path: Path) -> None:
    frozen = building(
        lambda trial: compiled(trial, functional(), optimizer=tf.keras.optimizers.SGD(0.0))
    )
    trained = run(frozen, tmp_path, config(5, scheduling_unit=2), trace=True)
    losses = [float(np.mean(Y[batch * 4 : batch * 4 + 4] ** 2)) for batch in range(5)]
    expected = [
        losses[0],
        np.mean(losses[:2]),
        losses[2],
        np.mean(losses[2:4]),
        losses[4],
    ]
    assert [batch["loss"] for batch in trained.batches] == pytest.approx(expected, rel=1e-5)
    reported = [r["metrics"]["loss"] for r in trained.reports if r["kind"] == "training"]
    assert reported == pytest.approx([expected[1], expected[3], expected[4]], rel=1e-5)


@promise("4.7", "validation metrics are those of model.evaluate, with val_ before their names")
def test_validation_metrics(tmp_path: Path) -> None:
    trial = building(lambda trial: compiled(trial, functional(), metrics=["mae"]))
    trained = run(trial, tmp_path, config(6))
    loss, error = trained.trial.context.model.evaluate(X, Y, batch_size=4, verbose=0)
    assert trained.reports[-1]["metrics"] == {"val_loss": loss, "val_mae": error}


@promise("DESIGN 8", "dropout and random layers go on after a resume as if nothing had been")
def test_random_layers_go_on(tmp_path: Path) -> None:
    def make(trial: Any) -> Any:
        layers = [tf.keras.layers.GaussianNoise(0.5), tf.keras.layers.Dropout(0.5), dense()]
        return compiled(trial, tf.keras.Sequential([tf.keras.Input((3,)), *layers]))

    whole = run(building(make), tmp_path / "whole", config(12))
    run(building(make), tmp_path / "parts", config(5))
    assert run(building(make), tmp_path / "parts", config(12), resume=True).weights == whole.weights


@promise("4.7", "an eager model trains as a compiled one does")
def test_an_eager_model(tmp_path: Path) -> None:
    eager, fast = (
        building(lambda trial, eager=eager: compiled(trial, functional(), run_eagerly=eager))
        for eager in (True, False)
    )
    one, other = run(eager, tmp_path / "eager"), run(fast, tmp_path / "fast")
    assert one.kernel == pytest.approx(other.kernel, rel=1e-6)
    assert [r["batches"] for r in one.reports] == [r["batches"] for r in other.reports]


class Generator(tf.keras.Model):  # type: ignore[misc]
    """Its ``call`` wants noise of two numbers; its data have three."""

    def __init__(self) -> None:
        super().__init__()
        self.draw = tf.keras.Sequential([tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(3)])
        self.random = tf.random.Generator.from_seed(4)

    def call(self, noise: Any, training: bool = False) -> Any:
        return self.draw(noise, training=training)

    def _loss(self, data: Any, training: bool) -> Any:
        drawn = self(self.random.normal((tf.shape(data[0])[0], 2)), training=training)
        return tf.reduce_mean((drawn - data[0]) ** 2)

    def train_step(self, data: Any) -> dict[str, Any]:
        with tf.GradientTape() as tape:
            loss = self._loss(data, training=True)
        variables = self.draw.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return {"loss": loss}

    def test_step(self, data: Any) -> dict[str, Any]:
        return {"loss": self._loss(data, training=False)}


class FromDataset(Trial):
    """Reads a dataset, for which nothing is called ahead."""

    def build_training_data_loader(self) -> Any:
        slices = tf.data.Dataset.from_tensor_slices((X, Y))
        return self.context.wrap_dataset(slices).batch(4)

    build_validation_data_loader = build_training_data_loader


@promise("4.13", "a model whose call does not take its data (a GAN) trains, and goes on")
def test_a_model_that_is_not_called_with_its_data(tmp_path: Path) -> None:
    class Drawing(FromDataset):
        def build_model(self) -> Any:
            return compiled(self, Generator(), loss=None)

    whole = run(Drawing, tmp_path / "whole", config(9))
    run(Drawing, tmp_path / "parts", config(4))
    assert run(Drawing, tmp_path / "parts", config(9), resume=True).weights == whole.weights


class OwnSteps(tf.keras.Model):  # type: ignore[misc]
    """A functional model with steps of its own, compiled without a loss."""

    def train_step(self, data: Any) -> dict[str, Any]:
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return {"loss": loss}

    def test_step(self, data: Any) -> dict[str, Any]:
        x, y = data
        return {"loss": tf.reduce_mean((self(x, training=False) - y) ** 2)}


@promise("4.7", "what a model's own test_step returns is reported, after checkpoints too")
def test_own_steps_are_reported_after_a_checkpoint(tmp_path: Path) -> None:
    def make(trial: Any) -> Any:
        inputs = tf.keras.Input((3,))
        return compiled(trial, OwnSteps(inputs, dense()(inputs)), loss=None)

    given = config(9, min_validation_period={"batches": 3}, min_checkpoint_period={"batches": 3})
    trained = run(building(make), tmp_path, given)
    weights, bias = trained.trial.context.model.get_weights()
    rows = slice(16, 20)  # the loss that test_step returns is that of its last batch
    last = float(np.mean((X[rows] @ weights + bias - Y[rows]) ** 2))
    assert all(loss > 0 for loss in trained.validated())
    assert trained.validated()[-1] == pytest.approx(last, rel=1e-5)


@promise("4.13", "a model that makes its own train_function trains every batch")
def test_an_own_train_function(tmp_path: Path) -> None:
    class Own(Subclassed):
        def make_train_function(self, force: bool = False) -> Any:
            self.train_function = tf.function(lambda iterator: self.train_step(next(iterator)))
            return self.train_function

    trained = run(building(lambda trial: compiled(trial, Own())), tmp_path, config(9))
    assert int(trained.trial.context.model.optimizer.iterations) == 9


@promise("DESIGN 8", "what a stateful recurrent layer carries goes on after a resume")
def test_a_stateful_layer_goes_on(tmp_path: Path) -> None:
    def make(trial: Any) -> Any:
        layers = [
            tf.keras.layers.Reshape((3, 1), batch_input_shape=(4, 3)),
            tf.keras.layers.LSTM(2, stateful=True),
            dense(),
        ]
        return compiled(trial, tf.keras.Sequential(layers))

    given = {"checkpoint_policy": "none"}
    whole = run(building(make), tmp_path / "whole", config(9, **given))
    run(building(make), tmp_path / "parts", config(5, **given))
    # The end of the first part validates after its checkpoint; that must not be carried on.
    parts = run(building(make), tmp_path / "parts", config(9, **given), resume=True)
    assert parts.weights == whole.weights


@promise("001:81", "an optimizer that trains a part of the model goes on; also within a loss scale")
@pytest.mark.parametrize("scaled", [False, True])
def test_an_optimizer_of_a_part_goes_on(scaled: bool, tmp_path: Path) -> None:
    def make(trial: Any) -> Any:
        optimizer: Any = legacy.Adam(0.1)
        if scaled:
            optimizer = tf.keras.mixed_precision.LossScaleOptimizer(optimizer)
            return compiled(trial, functional(), optimizer=optimizer)
        inputs = tf.keras.Input((3,))
        model = HeadOnly(inputs, dense(name="head")(tf.keras.layers.Dense(2)(inputs)))
        return compiled(trial, model, optimizer=optimizer)

    whole = run(building(make), tmp_path / "whole", config(9))
    run(building(make), tmp_path / "parts", config(4))
    assert run(building(make), tmp_path / "parts", config(9), resume=True).weights == whole.weights


class HeadOnly(OwnSteps):
    def train_step(self, data: Any) -> dict[str, Any]:
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        variables = self.get_layer("head").trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return {"loss": loss}


@promise("4.5", "a metric means for arrays what it means for a Sequence (accuracy of columns)")
@pytest.mark.parametrize("as_sequence", [False, True])
def test_accuracy_of_a_column(as_sequence: bool, tmp_path: Path) -> None:
    """No size of a batch is known, so Keras takes a column of class numbers for one class of one.

    Its accuracy is then how often class 0 is predicted, here always; the labels are all 1.
    """
    labels = np.ones((20, 1), np.int64)

    class Columns(Trial):
        def build_model(self) -> Any:
            layer = tf.keras.layers.Dense(
                3, activation="softmax", kernel_initializer="zeros", input_shape=(3,)
            )
            return compiled(
                self,
                tf.keras.Sequential([layer]),
                optimizer=tf.keras.optimizers.SGD(0.0),
                loss="sparse_categorical_crossentropy",
                metrics=["accuracy"],
            )

        def build_training_data_loader(self) -> Any:
            return Batches() if as_sequence else (X, labels)

        build_validation_data_loader = build_training_data_loader

    class Batches(tf.keras.utils.Sequence):  # type: ignore[misc]
        def __len__(self) -> int:
            return 5

        def __getitem__(self, index: int) -> Any:
            return X[index * 4 : index * 4 + 4], labels[index * 4 : index * 4 + 4]

    assert run(Columns, tmp_path).validated("val_accuracy") == [1.0]


@promise("4.6", "metrics of the model are those of the workload when its callbacks are called")
def test_metrics_are_there_for_callbacks(tmp_path: Path) -> None:
    seen: dict[str, list[float]] = {"training": [], "validation": []}

    class Watching(Trial):
        def build_model(self) -> Any:
            return compiled(
                self, functional(), metrics=[tf.keras.metrics.MeanSquaredError("error")]
            )

        def keras_callbacks(self) -> list[Any]:
            return [Reading()]

    class Reading(callbacks.Callback):
        def _read(self, phase: str) -> None:
            metric = next(m for m in self.model.metrics if m.name == "error")
            seen[phase].append(float(metric.result()))

        def on_train_workload_end(self, total_batches_trained: int, logs: Any) -> None:
            self._read("training")

        def on_test_end(self, logs: Any = None) -> None:
            self._read("validation")

    trained = run(Watching, tmp_path, config(6, scheduling_unit=3))
    reported = {kind: [r["metrics"] for r in trained.reports if r["kind"] == kind] for kind in seen}
    assert seen["training"] == [metrics["error"] for metrics in reported["training"]]
    assert seen["validation"] == [metrics["val_error"] for metrics in reported["validation"]]
