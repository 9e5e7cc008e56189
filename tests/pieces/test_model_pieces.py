"""Support pieces of models compute what the shim computes for the old names."""

from __future__ import annotations

import importlib
import importlib.util
import random
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from pedl import idioms
from pedl2det.support.library import render

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.versions]

_PIECES = (
    *("SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "Adamax", "Nadam"),
    *("standalone_optimizer", "standalone_optimizer_class", "layer_class"),
    *("LSTM", "GRU", "LSTMCell", "GRUCell", "hinge", "squared_hinge", "cosine_proximity"),
    *("BatchNormalization", "named_metrics", "named_metrics_by_output", "compile_model"),
    *("ValidationMetrics", "with_old_batch_normalization"),
)


@pytest.fixture
def legacy_keras(tmp_path: Path) -> Any:
    """The module, imported anew."""
    path = tmp_path / "legacy_keras.py"
    path.write_text(render(_PIECES))
    spec = importlib.util.spec_from_file_location("legacy_keras", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def keras() -> Iterator[Any]:
    """Standalone Keras, as an old trial imports it."""
    idioms.activate()
    try:
        yield importlib.import_module("keras")
    finally:
        idioms.deactivate()
        tf.keras.backend.clear_session()


def trained(
    make_layers: Any, optimizer: Any, loss: Any = "mse", shape: tuple[int, ...] = (3,)
) -> list[Any]:
    """The weights of a small model after some batches."""
    random.seed(7)  # of which Keras draws the seeds of layers; its set_random_seed stays in force
    tf.random.set_seed(7)
    model = tf.keras.Sequential([tf.keras.Input(shape), *make_layers()])
    model.compile(optimizer, loss)
    chance = np.random.RandomState(1)
    x = chance.normal(size=(24, *shape)).astype("float32")
    y = (chance.rand(24, 1) > 0.5).astype("float32")
    model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0)
    return list(model.get_weights())


def assert_same(first: list[Any], second: list[Any]) -> None:
    assert len(first) == len(second) > 0
    assert all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))


def dense() -> list[Any]:
    return [tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(1)]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SGD", {"lr": 0.1, "momentum": 0.9, "decay": 1e-2}),
        ("RMSprop", {"clipnorm": 0.1}),
        ("Adagrad", {}),
        ("Adadelta", {}),
        ("Adam", {"amsgrad": True, "clipvalue": 0.01}),
        ("Adamax", {}),
        ("Nadam", {"clipnorm": -1}),
    ],
)
def test_optimizers_of_standalone_keras(
    legacy_keras: Any, keras: Any, name: str, options: dict[str, Any]
) -> None:
    old = trained(dense, getattr(keras.optimizers, name)(**options))
    assert_same(old, trained(dense, getattr(legacy_keras, name)(**options)))


@pytest.mark.parametrize("name", ["adadelta", "adagrad", "nadam", "sgd"])
def test_optimizers_by_their_names(legacy_keras: Any, keras: Any, name: str) -> None:
    old = trained(dense, keras.optimizers.get(name))
    assert_same(old, trained(dense, legacy_keras.standalone_optimizer(name)))


@pytest.mark.parametrize("name", ["LSTM", "GRU"])
def test_recurrent_layers(legacy_keras: Any, keras: Any, name: str) -> None:
    def layers(kind: Any) -> Any:
        return lambda: [kind(4), tf.keras.layers.Dense(1)]

    old = trained(layers(getattr(keras.layers, name)), "sgd", shape=(5, 2))
    idioms.deactivate()
    new = trained(layers(legacy_keras.layer_class(name)), "sgd", shape=(5, 2))
    assert_same(old, new)
    other = trained(layers(getattr(tf.keras.layers, name)), "sgd", shape=(5, 2))
    assert not np.array_equal(old[0], other[0])


def test_a_recurrent_layer_is_made_again_from_its_config(legacy_keras: Any) -> None:
    layer = legacy_keras.GRU(4)
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()
    assert again.get_config()["reset_after"] is False


@pytest.mark.parametrize("name", ["hinge", "squared_hinge", "cosine_proximity"])
def test_losses(legacy_keras: Any, keras: Any, name: str) -> None:
    old = trained(dense, "sgd", getattr(keras.losses, name))
    idioms.deactivate()
    assert_same(old, trained(dense, "sgd", getattr(legacy_keras, name)))


def test_a_frozen_normalization_uses_its_batch(legacy_keras: Any, keras: Any) -> None:
    def layers(kind: Any) -> Any:
        def make() -> list[Any]:
            frozen = kind(momentum=0.5)
            frozen.trainable = False
            return [tf.keras.layers.Dense(4), frozen, tf.keras.layers.Dense(1)]

        return make

    optimizer = tf.keras.optimizers.legacy.SGD
    old = trained(layers(keras.layers.BatchNormalization), optimizer(0.1))
    idioms.deactivate()
    new = trained(layers(legacy_keras.BatchNormalization), optimizer(0.1))
    assert_same(old, new)
    other = trained(layers(tf.keras.layers.BatchNormalization), optimizer(0.1))
    assert not np.array_equal(old[0], other[0])


def test_a_ready_made_model_that_is_frozen_uses_its_batch(legacy_keras: Any, keras: Any) -> None:
    def layers(made: Any = lambda model: model) -> Any:
        def make() -> list[Any]:
            parts = [tf.keras.layers.Dense(4), tf.keras.layers.BatchNormalization(momentum=0.5)]
            ready = made(tf.keras.Sequential([tf.keras.Input((3,)), *parts]))
            ready.trainable = False
            return [tf.keras.Sequential([ready]), tf.keras.layers.Dense(1)]

        return make

    optimizer = tf.keras.optimizers.legacy.SGD
    old = trained(layers(), optimizer(0.1))
    idioms.deactivate()
    assert_same(old, trained(layers(legacy_keras.with_old_batch_normalization), optimizer(0.1)))
    assert not np.array_equal(old[-1], trained(layers(), optimizer(0.1))[-1])


def test_a_normalization_that_is_trained_is_todays(legacy_keras: Any) -> None:
    def layers(kind: Any) -> Any:
        return lambda: [tf.keras.layers.Dense(4), kind(), tf.keras.layers.Dense(1)]

    optimizer = tf.keras.optimizers.legacy.SGD
    new = trained(layers(legacy_keras.BatchNormalization), optimizer(0.1))
    assert_same(new, trained(layers(tf.keras.layers.BatchNormalization), optimizer(0.1)))


def test_metrics_have_the_names_of_their_roles(legacy_keras: Any) -> None:
    training = {"accuracy": "accuracy", "error": tf.keras.metrics.mean_absolute_error}
    validation = {"accuracy": "accuracy", "error": tf.keras.metrics.mean_squared_error}
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse", metrics=legacy_keras.named_metrics(training, validation))
    x, y = np.ones((4, 2), "float32"), np.zeros((4, 1), "float32")
    history = model.fit(x, y, validation_data=(x, y), verbose=0).history
    assert {"val_accuracy", "error", "val_validation_error"} <= history.keys()


def test_metrics_of_outputs_have_the_names_of_both(legacy_keras: Any) -> None:
    x = tf.keras.Input((2,))
    outputs = [tf.keras.layers.Dense(1, name=name)(x) for name in ("kind", "size")]
    model = tf.keras.Model(x, outputs)
    error = tf.keras.metrics.mean_squared_error
    metrics = {"kind_error": ("kind", error), "other": ("size", error)}
    named = legacy_keras.named_metrics_by_output(model.output_names, metrics, {})
    model.compile("sgd", "mse", metrics=named)
    values = np.ones((4, 2), "float32")
    history = model.fit(values, [np.zeros((4, 1))] * 2, verbose=0).history
    assert {"kind_error", "size_other"} <= history.keys()


class Context:
    """What the pieces ask of a context."""

    def __init__(self) -> None:
        self.wrapped: list[Any] = []

    def wrap_model(self, model: Any) -> Any:
        self.wrapped.append(model)
        return model

    def wrap_optimizer(self, optimizer: Any) -> Any:
        self.wrapped.append(optimizer)
        return optimizer

    def get_experiment_config(self) -> dict[str, Any]:
        return {"scheduling_unit": 2}

    def get_per_slot_batch_size(self) -> int:
        return 2


def test_a_model_is_compiled_with_a_wrapped_optimizer(legacy_keras: Any) -> None:
    context = Context()
    legacy_keras.bind(context)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    legacy_keras.compile_model(model, optimizer="adam", loss="mse")
    assert context.wrapped == [model, model.optimizer]
    assert type(model.optimizer) is tf.keras.optimizers.legacy.Adam


def test_computed_metrics_take_the_place_of_others(legacy_keras: Any) -> None:
    legacy_keras.bind(Context())
    x, y = np.ones((5, 2), "float32"), np.zeros((5, 1), "float32")
    told = []

    class Trial(SimpleNamespace):
        def compute_validation_metrics(self, step: int) -> dict[str, Any]:
            adapter = self.validation_data_adapter
            adapter.start(is_validation=True)
            batches = list(adapter.get_iterator())
            told.append((step, len(batches), self.model))
            return {"num_inputs": 5, "validation_metrics": {"auc": 0.5}}

    trial = Trial(build_validation_data_loader=lambda: (x, y))
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile(tf.keras.optimizers.legacy.SGD(), "mse")
    model.fit(x, y, batch_size=1, verbose=0)
    callback = legacy_keras.ValidationMetrics(trial)
    callback.set_model(model)
    logs = {"val_loss": 1.0}
    callback.on_test_end(logs)
    assert logs == {"auc": 0.5}
    assert callback._supports_tf_logs  # else it would get a copy of them
    assert told == [(2, 3, model)]
