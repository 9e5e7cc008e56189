"""What is learned, from which loss, and what must not change it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from promises import promise
from training import Trial, X, Y, building, compiled, config, dense, functional, run

pytestmark = pytest.mark.versions

layers = tf.keras.layers
SGD = tf.keras.optimizers.SGD


class Xor(Trial):
    """Whether one of two bits is set; one batch has all four cases."""

    cases = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
    metrics: tuple[Any, ...] = ("accuracy",)

    def build_model(self) -> Any:
        model = tf.keras.Sequential(
            [
                layers.Dense(8, activation="tanh", input_shape=(2,)),
                layers.Dense(1, activation="sigmoid"),
            ]
        )
        return compiled(
            self,
            model,
            optimizer=self.context.wrap_optimizer(tf.keras.optimizers.Adam(0.05)),
            loss="binary_crossentropy",
            metrics=list(self.metrics),
        )

    def build_training_data_loader(self) -> Any:
        return self.cases, np.array([0, 1, 1, 0], np.float32)

    build_validation_data_loader = build_training_data_loader


@promise("002:11", "a network of two layers learns xor, and its reports say so")
def test_xor_is_learned(tmp_path: Path) -> None:
    trained = run(Xor, tmp_path, config(300, min_validation_period={"batches": 100}))
    losses = [r["metrics"]["loss"] for r in trained.reports if r["kind"] == "training"]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.1
    assert trained.validated("val_accuracy")[-1] == 1.0
    model = trained.trial.context.model
    assert np.round(model.predict(Xor.cases, verbose=0)).ravel().tolist() == [0, 1, 1, 0]


def drawing(trial: Any) -> Any:
    """A model that draws, and that keeps averages beside its weights."""
    model = [layers.Dense(4), layers.BatchNormalization(), layers.Dropout(0.5), layers.Dense(1)]
    return compiled(
        trial,
        tf.keras.Sequential([tf.keras.Input((3,)), *model]),
        optimizer=tf.keras.optimizers.Adam(0.1),
        metrics=["mae"],
    )


class Drawing(Trial):
    def build_model(self) -> Any:
        return drawing(self)


@promise("4.7", "workloads, validations and checkpoints change nothing in what is trained")
def test_nothing_around_training_changes_it(tmp_path: Path) -> None:
    every = {"batches": 1}
    ways: list[dict[str, Any]] = [
        {},
        {"scheduling_unit": 1},
        {"min_validation_period": every, "checkpoint_policy": "none"},
        {"min_checkpoint_period": every, "perform_initial_validation": True},
    ]
    ended = [run(Drawing, tmp_path / str(n), config(7, **way)) for n, way in enumerate(ways)]
    weights = [trained.trial.context.model.get_weights() for trained in ended]
    for others in weights[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(weights[0], others, strict=True))
    assert all(trained.weights == ended[0].weights for trained in ended[1:])


@promise("4.2", "the same seed gives the same losses, another seed others")
def test_a_seed_gives_its_losses(tmp_path: Path) -> None:
    losses = []
    for number, seed in enumerate((7, 7, 8)):
        given = config(6, reproducibility={"experiment_seed": seed})
        trained = run(Drawing, tmp_path / str(number), given, trace=True)
        losses.append([(batch["loss"], batch["mae"]) for batch in trained.batches])
    assert losses[0] == losses[1]
    assert all(one != other for one, other in zip(losses[0], losses[2], strict=True))


@promise("4.2", "random, NumPy and TensorFlow are seeded before the trial is made")
def test_a_trial_draws_by_the_seed(tmp_path: Path) -> None:
    import random

    drawn = []

    class Drawer(Trial):
        def __init__(self, context: Any) -> None:
            super().__init__(context)
            drawn.append((random.random(), np.random.rand(), float(tf.random.uniform(()))))

    for number, seed in enumerate((7, 7, 8)):
        given = config(1, reproducibility={"experiment_seed": seed})
        run(Drawer, tmp_path / str(number), given, test=True)
    assert drawn[0] == drawn[1]
    assert all(one != other for one, other in zip(drawn[0], drawn[2], strict=True))


@promise("4.7", "penalties of layers and added losses are a part of the loss, in validation too")
def test_penalties_are_in_the_loss(tmp_path: Path) -> None:
    class Adding(layers.Layer):  # type: ignore[misc]
        def call(self, inputs: Any) -> Any:
            self.add_loss(0.25)
            return inputs

    def make(trial: Any) -> Any:
        ones = layers.Dense(
            1, kernel_initializer="ones", kernel_regularizer=tf.keras.regularizers.L2(0.1)
        )
        model = tf.keras.Sequential([tf.keras.Input((3,)), Adding(), ones])
        return compiled(trial, model, optimizer=SGD(0.0))

    reports = run(building(make), tmp_path, config(5)).reports
    expected = 0.1 * 3 + 0.25  # the sum of the inputs is predicted exactly
    assert reports[0]["metrics"]["loss"] == pytest.approx(expected, rel=1e-5)
    assert reports[1]["metrics"]["val_loss"] == pytest.approx(expected, rel=1e-5)


@promise("4.13", "a model whose losses are all added by its layers needs none in compile")
def test_a_model_of_added_losses(tmp_path: Path) -> None:
    class Rebuilding(layers.Layer):  # type: ignore[misc]
        """Predicts its input, and adds how far off it is."""

        def __init__(self) -> None:
            super().__init__()
            self.inner = layers.Dense(3, kernel_initializer="zeros")

        def call(self, inputs: Any) -> Any:
            rebuilt = self.inner(inputs)
            self.add_loss(tf.reduce_mean((rebuilt - inputs) ** 2))
            return rebuilt

    class Autoencoder(Trial):
        def build_model(self) -> Any:
            model = tf.keras.Sequential([tf.keras.Input((3,)), Rebuilding()])
            return compiled(self, model, loss=None)

    trained = run(Autoencoder, tmp_path, config(5, min_validation_period={"batches": 1}))
    losses = trained.validated()
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] < float((X**2).mean())


class TwoHeads(Trial):
    """Two outputs of the same inputs; the second learns nothing."""

    form: Any = staticmethod(lambda one, two: {"one": one, "two": two})

    def build_model(self) -> Any:
        inputs = tf.keras.Input((3,))
        heads = {name: layers.Dense(1, name=name)(inputs) for name in ("one", "two")}
        return compiled(
            self,
            tf.keras.Model(inputs, heads),
            loss={"one": "mse", "two": tf.keras.losses.MeanAbsoluteError()},
            loss_weights={"one": 2.0, "two": 0.5},
            metrics={"one": ["mae", tf.keras.metrics.MeanSquaredError("spread")], "two": largest},
        )

    def build_training_data_loader(self) -> Any:
        return X, self.form(Y, -Y)

    build_validation_data_loader = build_training_data_loader


def largest(y: Any, p: Any) -> Any:
    return tf.reduce_max(tf.abs(y - p), axis=-1)


@promise("4.7", "losses, their weights and metrics by the names of the outputs")
def test_several_losses(tmp_path: Path) -> None:
    trained = run(TwoHeads, tmp_path)
    names = ("loss", "one_loss", "two_loss", "one_mae", "one_spread", "two_largest")
    training, validation = (report["metrics"] for report in trained.reports)
    assert set(training) == set(names)
    assert set(validation) == {f"val_{name}" for name in names}
    for metrics, prefix in ((training, ""), (validation, "val_")):
        parts = 2.0 * metrics[f"{prefix}one_loss"] + 0.5 * metrics[f"{prefix}two_loss"]
        assert metrics[f"{prefix}loss"] == pytest.approx(parts, rel=1e-5)
    predicted = trained.trial.context.model.predict(X, verbose=0)
    off = np.abs(predicted["two"] + Y).mean()
    assert validation["val_two_loss"] == pytest.approx(off, rel=1e-4)


@promise("4.7", "every record of a validation counts once, those of a smaller batch too")
def test_a_validation_weighs_records(tmp_path: Path) -> None:
    class Eighteen(Trial):
        def build_model(self) -> Any:
            return compiled(self, functional(), optimizer=SGD(0.0), metrics=["mae"])

        def build_validation_data_loader(self) -> Any:
            return X[:18], Y[:18]

    metrics = run(Eighteen, tmp_path, config(1)).reports[-1]["metrics"]
    assert metrics["val_mae"] == pytest.approx(float(Y[:18].mean()), rel=1e-5)
    assert metrics["val_loss"] == pytest.approx(float((Y[:18] ** 2).mean()), rel=1e-5)


@promise("4.7", "sample weights of validation data weigh, the class weights of training do not")
def test_weights_of_a_validation(tmp_path: Path) -> None:
    weights = np.linspace(0.5, 1.5, 20).astype(np.float32)

    class Weighed(Trial):
        def build_model(self) -> Any:
            return compiled(self, functional(), optimizer=SGD(0.0), weighted_metrics=["mae"])

        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(class_weight={0: 7.0})
            return X, np.zeros(20, np.float32)

        def build_validation_data_loader(self) -> Any:
            return X, Y, weights

    metrics = run(Weighed, tmp_path, config(1)).reports[-1]["metrics"]
    squares, errors = weights * Y[:, 0] ** 2, weights * Y[:, 0]
    assert metrics["val_loss"] == pytest.approx(float(squares.mean()), rel=1e-4)
    assert metrics["val_mae"] == pytest.approx(float(errors.sum() / weights.sum()), rel=1e-4)


@promise("4.13", "layers that are not trainable keep their weights; the others are trained")
def test_frozen_layers(tmp_path: Path) -> None:
    def make(trial: Any) -> Any:
        base = tf.keras.Sequential(
            [layers.Dense(2, kernel_initializer="ones", input_shape=(3,)), layers.Dropout(0.5)]
        )
        base.trainable = False
        return compiled(trial, tf.keras.Sequential([base, layers.BatchNormalization(), dense()]))

    whole = run(building(make), tmp_path / "whole", config(6))
    base, head = whole.trial.context.model.layers[0], whole.trial.context.model.layers[-1]
    assert np.array_equal(base.get_weights()[0], np.ones((3, 2)))
    assert np.all(head.get_weights()[0] != 0)
    run(building(make), tmp_path / "parts", config(2))
    assert run(building(make), tmp_path / "parts", config(6), resume=True).weights == whole.weights


@promise("4.13", "steps_per_execution and jit_compile of compile change no metric and no report")
@pytest.mark.parametrize("settings", [{"steps_per_execution": 4}, {"jit_compile": True}])
def test_settings_of_compile(settings: Any, tmp_path: Path) -> None:
    seen: list[int] = []

    class Counting(Trial):
        chosen: Any = None

        def build_model(self) -> Any:
            return compiled(self, functional(), **(self.chosen or {}))

        def keras_callbacks(self) -> list[Any]:
            note = tf.keras.callbacks.LambdaCallback(on_train_batch_end=lambda n, _: seen.append(n))
            return [note]

    class Chosen(Counting):
        chosen = settings

    given = config(7, scheduling_unit=3)
    plain, set_so = run(Counting, tmp_path / "a", given), run(Chosen, tmp_path / "b", given)
    assert seen == [*range(7)] * 2
    assert set_so.kernel == pytest.approx(plain.kernel, rel=1e-6)
    assert [r["batches"] for r in set_so.reports] == [r["batches"] for r in plain.reports]


@promise("4.13", "nested models, shared layers, embeddings and Lambda train, and go on")
def test_a_model_of_models(tmp_path: Path) -> None:
    words = np.arange(60).reshape(20, 3) % 11

    class Siamese(Trial):
        def build_model(self) -> Any:
            tower = tf.keras.Sequential(
                [layers.Embedding(11, 4), layers.GlobalAveragePooling1D(), layers.Dense(2)],
                name="tower",
            )
            sides = [tf.keras.Input((3,), name=name, dtype="int32") for name in ("left", "right")]
            off = layers.Lambda(lambda pair: tf.abs(pair[0] - pair[1]))([tower(s) for s in sides])
            return compiled(
                self, tf.keras.Model(sides, dense()(off)), optimizer=tf.keras.optimizers.Adam(0.1)
            )

        def build_training_data_loader(self) -> Any:
            return {"left": words, "right": words[::-1]}, Y

        build_validation_data_loader = build_training_data_loader

    whole = run(Siamese, tmp_path / "whole", config(9))
    run(Siamese, tmp_path / "parts", config(4))
    assert run(Siamese, tmp_path / "parts", config(9), resume=True).weights == whole.weights
    assert whole.validated()[0] < float((Y**2).mean())


@promise("4.13", "preprocessing layers that are adapted in build_model read text and numbers")
def test_preprocessing_layers(tmp_path: Path) -> None:
    colours = np.array(["red", "green", "blue", "red"] * 5)

    class Described(Trial):
        def build_model(self) -> Any:
            lookup = layers.StringLookup(output_mode="one_hot")
            lookup.adapt(colours)
            scale = layers.Normalization()
            scale.adapt(X)
            colour = tf.keras.Input((1,), dtype="string", name="colour")
            size = tf.keras.Input((3,), name="size")
            joined = layers.Concatenate()([lookup(colour), scale(size)])
            return compiled(self, tf.keras.Model([colour, size], dense()(joined)))

        def build_training_data_loader(self) -> Any:
            return {"colour": colours, "size": X}, Y

        build_validation_data_loader = build_training_data_loader

    whole = run(Described, tmp_path / "whole", config(9))
    run(Described, tmp_path / "parts", config(4))
    assert run(Described, tmp_path / "parts", config(9), resume=True).weights == whole.weights
    assert whole.validated()[0] < 0.5 * float((Y**2).mean())
