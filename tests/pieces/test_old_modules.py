"""Modules whose names are looked up by text: those of TensorFlow 1 and of standalone Keras."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from pedl2det_names import rows

pytestmark = pytest.mark.versions


def test_a_name_that_has_moved_is_found(pieces: Any) -> None:
    log1p = getattr(pieces.old_module(tf), "log" + "1p")
    assert float(log1p(tf.constant(1.0))) == pytest.approx(np.log(2.0))


def test_a_function_takes_the_arguments_that_it_had(pieces: Any) -> None:
    total = pieces.old_module(tf).reduce_sum(tf.ones((2, 3)), reduction_indices=1, keep_dims=True)
    assert total.shape == (2, 1)


def test_all_names_are_seen_at_once(pieces: Any) -> None:
    layers = vars(pieces.old_module(tf.keras.layers))
    assert layers["GRU"](3).reset_after is False
    assert layers["LSTM"](3).recurrent_activation.__name__ == "hard_sigmoid"
    assert layers["Dense"] is tf.keras.layers.Dense


def test_a_module_is_found_in_another_one(pieces: Any) -> None:
    layers = pieces.old_module(tf.keras).layers
    assert layers.GRU(3).reset_after is False


def test_short_names_of_old_keras_are_found(pieces: Any) -> None:
    keras = pieces.old_module(tf.keras)
    draw = keras.initializers.uniform(seed=1)((50, 50))
    assert 0.045 < float(tf.reduce_max(tf.abs(draw))) <= 0.05  # the default of Keras 2.2
    assert float(keras.initializers.one()((1,))[0]) == 1.0
    assert keras.constraints.maxnorm(3).max_value == 3
    assert keras.layers.CuDNNGRU(2).units == 2


def test_optimizers_are_those_that_compute_as_before(pieces: Any) -> None:
    optimizers = pieces.old_module(tf.keras.optimizers)
    assert optimizers.Adam is tf.keras.optimizers.legacy.Adam
    adam = pieces.old_module(tf.train).AdamOptimizer(0.1)
    assert (float(adam.learning_rate), adam.epsilon) == (pytest.approx(0.1), 1e-08)


def test_a_module_imported_by_its_path_is_the_same(pieces: Any) -> None:
    train = importlib.import_module("tensorflow.train")
    assert hasattr(pieces.old_module(train), "AdamOptimizer")


def test_standalone_keras_has_its_own_defaults(pieces: Any) -> None:
    assert float(pieces.import_old_module("keras.optimizers").Adadelta().learning_rate) == 1.0
    optimizers = vars(pieces.import_old_module("keras.optimizers"))
    adagrad = optimizers["Adagrad"](lr=0.5, clipnorm=0)
    assert issubclass(optimizers["adagrad"], tf.keras.optimizers.legacy.Adagrad)
    assert (float(adagrad.learning_rate), adagrad.global_clipnorm) == (0.5, None)
    hinge = pieces.import_old_module("keras.losses").hinge
    labels, scores = tf.constant([[0.0]]), tf.constant([[0.5]])
    assert hinge(labels, scores).numpy().tolist() == [1.0]  # a label of 0 is no -1
    assert pieces.import_old_module("keras.layers").Dense is tf.keras.layers.Dense


def test_numpy_has_all_names_of_its_time(pieces: Any) -> None:
    old = {**vars(np), **pieces.old_names_of_numpy()}
    names = [row.old.partition(".") for row in rows()]
    assert [name for root, _, name in names if root == "numpy" and name not in old] == []
    assert (old["int"], old["float_"], old["unicode"]) == (int, np.float64, str)
    assert old["bool"] in (bool, np.bool_)  # NumPy 2 has one again


def test_what_is_no_module_of_tensorflow_is_left_alone(pieces: Any) -> None:
    assert pieces.old_module(pytest) is pytest
    assert pieces.old_module(tf.keras.layers.Dense) is tf.keras.layers.Dense
    assert pieces.import_old_module("json").dumps([1]) == "[1]"
