"""Small functions of legacy_keras.py do what those of the shim do."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import pedl
from pedl import idioms
from pedl.frameworks.util import elementwise_mean
from pedl.old_functions import multi_gpu_model
from pedl2det_legacy.numpy_functions import with_objects
from pedl2det_runtime.backends import graph_mode


@pytest.fixture
def old_names() -> Iterator[None]:
    """The shim is active."""
    idioms.activate()
    yield
    idioms.deactivate()


@pytest.mark.parametrize("key", ["labels", "fine_labels"])
def test_a_batch_of_cifar(key: str, pieces: Any, old_names: None, tmp_path: Path) -> None:
    pixels = np.random.RandomState(0).randint(0, 255, (5, 3072)).astype("uint8")
    batch = {b"data": pixels, b"labels": [1, 2, 3, 4, 5], b"fine_labels": [5, 4, 3, 2, 1]}
    path = tmp_path / "data_batch_1"
    path.write_bytes(pickle.dumps(batch))
    shim = importlib.import_module("tensorflow.python.keras.datasets.cifar").load_batch

    old, new = shim(str(path), key), pieces.load_batch(str(path), label_key=key)

    assert new[0].dtype == old[0].dtype and new[0].shape == old[0].shape == (5, 3, 32, 32)
    assert np.array_equal(new[0], old[0]) and new[1] == old[1]


@pytest.mark.parametrize(
    ("url", "is_valid"),
    [
        *(("http://a.b/c", True), ("s3://bucket", True), ("x://y?z", True), ("file:///x", False)),
        *(("a.b/c", False), ("", False), ("//a", False), ("http:", False)),
    ],
)
def test_addresses(url: str, is_valid: bool, pieces: Any) -> None:
    assert pieces.is_valid_url(url) is pedl.is_valid_url(url) is is_valid


@pytest.mark.parametrize("function", ["array", "asarray"])
@pytest.mark.parametrize(
    ("lists", "shape", "kind"),
    [
        *(
            ([[1], [2, 3]], (2,), "O"),
            ([[[1]], [[2, 3], [4]]], (2,), "O"),
            (["a", ["b"]], (2,), "O"),
        ),
        *(([[1, 2], [3, 4]], (2, 2), "i"), ([1.5, 2], (2,), "f"), ([], (0,), "f")),
    ],
    ids=str,
)
def test_lists_of_different_lengths(
    function: str, lists: Any, shape: Any, kind: str, pieces: Any
) -> None:
    old = with_objects(getattr(np, function))(lists)

    new = getattr(pieces, f"ragged_{function}")(lists)

    assert new.dtype.kind == old.dtype.kind == kind and new.shape == old.shape == shape
    assert new.tolist() == old.tolist() == lists


def test_a_type_that_was_asked_for_is_kept(pieces: Any) -> None:
    assert pieces.ragged_array([1, 2], dtype="float32").dtype == np.float32
    with pytest.raises(ValueError, match="inhomogeneous"):
        pieces.ragged_array([[1], [2, 3]], dtype="float32")


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("asfarray", ([1, 2],), np.array([1.0, 2.0])),
        ("asfarray", ([1, 2], "float32"), np.array([1, 2], "float32")),
        ("asfarray", ([1.5, 2], "int32"), np.array([1.5, 2.0])),
        ("asscalar", (np.array([3]),), 3),
        ("msort", (np.array([[3, 1], [2, 4]]),), np.array([[2, 1], [3, 4]])),
    ],
)
def test_functions_that_numpy_has_removed(
    function: str, arguments: Any, expected: Any, pieces: Any
) -> None:
    found = getattr(pieces, function)(*arguments)

    assert np.asarray(found).dtype == np.asarray(expected).dtype
    assert np.array_equal(found, expected)


def test_an_array_is_not_copied_by_asarray(pieces: Any) -> None:
    array = np.arange(3)

    assert pieces.ragged_asarray(array) is array
    assert pieces.ragged_array(array) is not array


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ([1, 2, 6], 3.0),
        ([np.ones((2, 2)), np.zeros((2, 2))], np.full((2, 2), 0.5)),
        ([[1], [2]], 1.5),
    ],
)
def test_the_mean_of_a_metric(values: Any, mean: Any, pieces: Any) -> None:
    for found in (elementwise_mean(values), pieces.elementwise_mean(values)):
        assert np.array_equal(found, np.broadcast_to(mean, np.shape(found)))
        assert np.shape(found) == np.shape(values[0])


def test_a_model_for_several_devices_is_the_model(pieces: Any) -> None:
    model = tf.keras.Sequential()

    assert pieces.multi_gpu_model(model, gpus=4, cpu_merge=False) is model
    assert multi_gpu_model(model, gpus=4, cpu_merge=False) is model


def test_a_function_keeps_its_arguments(pieces: Any) -> None:
    @pieces.legacy_interface
    def layer(units: int, activation: str = "relu") -> tuple[int, str]:
        return units, activation

    assert layer(3, activation="tanh") == (3, "tanh")


def test_a_session_gives_the_values_of_tensors(pieces: Any) -> None:
    for session in (pieces.Session(config=None), pieces.get_session()):
        fetches = {"a": tf.constant([1, 2]), "b": [tf.Variable(3.0), None]}
        with session.as_default() as chosen, session:
            found = chosen.run(fetches)
            assert found["a"].tolist() == [1, 2]
            assert found["b"][0] == 3.0 and found["b"][1] is None
        with pytest.raises(RuntimeError, match="placeholders"):
            session.run(fetches, feed_dict={"x": 1})
        with pytest.raises(RuntimeError, match="there is no graph"):
            _ = session.graph
        session.close()


def test_a_session_in_graph_mode_is_that_of_tensorflow(pieces: Any) -> None:
    with tf.Graph().as_default():
        session = pieces.Session()
        assert type(session) is tf.compat.v1.Session
        assert session.run(tf.constant(3)) == 3
        pieces.set_session(session)
        assert pieces.get_session() is session


@pytest.mark.parametrize("identifier", ["adam", "rmsprop", "SGD", "Adadelta"])
def test_an_optimizer_by_its_name_is_that_of_its_time(
    identifier: str, pieces: Any, old_names: None
) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
    model.compile(identifier, "mse")

    new = pieces.optimizer(identifier)

    assert type(new) is type(model.optimizer)
    assert isinstance(new, tf.keras.optimizers.legacy.Optimizer)
    assert new.get_config() == model.optimizer.get_config()


def test_an_optimizer_by_its_config_is_that_of_its_time(pieces: Any) -> None:
    optimizer = pieces.optimizer({"class_name": "Adam", "config": {"learning_rate": 0.5}})

    assert type(optimizer) is tf.keras.optimizers.legacy.Adam
    assert optimizer.get_config()["learning_rate"] == 0.5


def test_an_optimizer_is_itself(pieces: Any) -> None:
    optimizer = tf.keras.optimizers.legacy.Adam(0.1)

    assert pieces.optimizer(optimizer) is optimizer


@pytest.mark.parametrize("names", ["old_names", "restored"])
def test_what_an_optimizer_says_of_itself(names: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(names)
    optimizer = tf.keras.optimizers.legacy.SGD(0.5, decay=0.25)
    config = optimizer.get_config()

    assert (config["lr"], config["learning_rate"], optimizer.initial_decay) == (0.5, 0.5, 0.25)
    assert "lr" not in config and type(optimizer).from_config(config).get_config() == config
    with pytest.raises(KeyError, match="rho"):
        config["rho"]


@pytest.fixture
def restored(pieces: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old attributes, until the end of a test."""
    for owner, name, made in pieces.old_attributes():
        monkeypatch.setattr(owner, name, made, raising=False)


@pytest.mark.parametrize("units", [1, 3])
@pytest.mark.parametrize("names", ["old_names", "restored"])
def test_classes_that_a_model_predicts(
    units: int, names: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(names)
    model: Any = tf.keras.Sequential([tf.keras.layers.Dense(units, "sigmoid", input_shape=(4,))])
    x = np.random.RandomState(0).randn(40, 4)

    classes, scores = model.predict_classes(x), model.predict_proba(x)
    model._make_predict_function()

    assert np.array_equal(scores, model.predict(x, verbose=0))
    assert classes.shape == ((40, 1) if units == 1 else (40,)) and classes.dtype.kind == "i"
    expected = scores > 0.5 if units == 1 else scores.argmax(axis=-1)
    assert np.array_equal(classes, expected)


@pytest.mark.parametrize("names", ["old_names", "restored"])
def test_an_iterator_of_a_dataset_is_for_fit(names: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(names)
    rows: Any = tf.data.Dataset.range(3).make_one_shot_iterator()

    assert [int(row) for row in rows] == [0, 1, 2]
    assert not hasattr(rows, "__len__")
    with pytest.raises(RuntimeError) as told:
        rows.get_next()
    assert graph_mode.reason_for(told.value) is not None


@pytest.mark.usefixtures("restored")
def test_attributes_of_layers_and_tensors() -> None:
    class Scaled(tf.keras.layers.Layer):
        def build(self, input_shape: Any) -> None:
            self.scale, self.other = tf.Variable(2.0), tf.Variable(3.0)
            self.trainable_weights = [self.scale]

        def call(self, inputs: Any) -> Any:
            self.add_loss(tf.reduce_sum(inputs), inputs)
            return inputs * self.scale

    inputs: Any = tf.keras.Input((5,))
    layer = Scaled()
    outputs = layer(inputs)
    layer.name = "scaled_otherwise"
    layer.name += "_again"

    assert layer.name == "scaled_otherwise_again"
    assert [one is layer.scale for one in layer.trainable_weights] == [True]
    assert inputs._keras_shape == outputs._keras_shape == (None, 5)
    inputs._keras_shape = (None, 7)
    assert inputs._keras_shape == (None, 7) and not outputs._uses_learning_phase


def test_flat_tensors_become_columns(pieces: Any, old_names: None) -> None:
    shim = importlib.import_module("tensorflow.python.keras.engine.data_adapter").expand_1d
    data = {"x": tf.range(3), "y": tf.zeros([2, 2])}, None

    for expand in (shim, pieces.expand_1d):
        columns, none = expand(data)
        assert (columns["x"].shape, columns["y"].shape, none) == ((3, 1), (2, 2), None)


def test_a_cached_dataset_is_shuffled_whatever_its_size_is_known_by(pieces: Any) -> None:
    records = tf.data.Dataset.range(50)
    uncounted = records.filter(lambda number: number >= 0)

    for dataset in (records, uncounted):
        order = [int(one) for one in pieces.shuffled(dataset, 3)]
        assert sorted(order) == list(range(50)) != order


@pytest.mark.parametrize("scale", ["dynamic", 128])
def test_a_loss_is_scaled(scale: Any, pieces: Any, old_names: None) -> None:
    shim = importlib.import_module("tensorflow.keras.mixed_precision.experimental")

    made = [
        scaling(tf.keras.optimizers.legacy.SGD(0.1), scale)
        for scaling in (shim.LossScaleOptimizer, pieces.scale_loss)
    ]

    assert made[0].get_config() == made[1].get_config()
    assert [one.dynamic for one in made] == [scale == "dynamic"] * 2
    assert scale == "dynamic" or float(made[1].initial_scale) == scale
