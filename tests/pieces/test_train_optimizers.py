"""Optimizers of ``tf.train`` compute, as Keras optimizers, what TensorFlow 1 computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from pedl2det_names import lookup

pytestmark = pytest.mark.versions

V1 = tf.compat.v1.train

#: The arguments, and whether every bit is the same: Keras computes the powers of beta otherwise.
CASES: list[tuple[str, dict[str, Any], bool]] = [
    ("GradientDescentOptimizer", {"learning_rate": 0.1}, True),
    ("MomentumOptimizer", {"learning_rate": 0.1, "momentum": 0.9}, True),
    ("MomentumOptimizer", {"learning_rate": 0.1, "momentum": 0.9, "use_nesterov": True}, True),
    ("MomentumOptimizer", {"learning_rate": 0.1, "momentum": 0.0}, True),
    ("AdagradOptimizer", {"learning_rate": 0.1}, True),
    ("AdagradOptimizer", {"learning_rate": 0.1, "initial_accumulator_value": 0.5}, True),
    ("RMSPropOptimizer", {"learning_rate": 0.1}, True),
    ("RMSPropOptimizer", {"learning_rate": 0.1, "decay": 0.5, "momentum": 0.9}, True),
    ("RMSPropOptimizer", {"learning_rate": 0.1, "centered": True, "epsilon": 1e-3}, True),
    ("AdamOptimizer", {}, False),
    ("AdamOptimizer", {"learning_rate": 0.1, "beta1": 0.5, "epsilon": 1e-3}, False),
    ("AdadeltaOptimizer", {"learning_rate": 0.5}, True),
    ("FtrlOptimizer", {"learning_rate": 0.1, "l1_regularization_strength": 0.1}, True),
]
IDS = [f"{name} {given}" for name, given, _ in CASES]


def trained(optimizer: Any, sparse: bool, apply: Any) -> list[np.ndarray[Any, Any]]:
    """Five steps for a matrix, of which a sparse gradient concerns some rows, one of them twice."""
    start = np.random.RandomState(0).rand(4, 3).astype("float32")
    variable = tf.Variable(start)
    found = []
    for step in range(5):
        values = np.random.RandomState(step + 1).randn(4, 3).astype("float32")
        gradient: Any = tf.constant(values)
        if sparse:
            gradient = tf.IndexedSlices(gradient[:3], tf.constant([2, 0, 2]), tf.constant([4, 3]))
        apply(optimizer, [(gradient, variable)])
        found.append(variable.numpy())
    return found


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize(("name", "given", "to_the_bit"), CASES, ids=IDS)
def test_weights_are_those_of_tensorflow_1(
    name: str, given: Any, to_the_bit: bool, sparse: bool, pieces: Any
) -> None:
    optimizer = getattr(pieces, name)(**given)
    assert isinstance(optimizer, tf.keras.optimizers.legacy.Optimizer)

    def apply(chosen: Any, pairs: Any) -> None:
        chosen.apply_gradients(pairs)

    old = trained(getattr(V1, name)(**given), sparse, apply)
    new = trained(optimizer, sparse, apply)

    assert not np.array_equal(old[0], old[-1])
    for one, other in zip(old, new, strict=True):
        np.testing.assert_allclose(other, one, rtol=0 if to_the_bit else 1e-5)


@pytest.mark.parametrize("name", sorted({name for name, _, _ in CASES}))
def test_an_optimizer_trains_a_model_and_is_made_again_from_its_config(
    name: str, pieces: Any
) -> None:
    optimizer = getattr(pieces, name)(*(0.1, 0.9)[: 2 if name == "MomentumOptimizer" else 1])
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile(optimizer, "mse")

    model.fit(np.ones((8, 2)), np.ones((8, 1)), batch_size=2, verbose=0)

    again = type(optimizer).from_config(optimizer.get_config())
    assert again.get_config() == optimizer.get_config()


@pytest.mark.parametrize("name", sorted({name for name, _, _ in CASES}))
def test_the_weights_of_an_optimizer_have_the_names_that_migrated_code_gives_them(
    name: str, pieces: Any
) -> None:
    row = lookup(f"tensorflow.train.{name}")
    assert row is not None
    if row.same and row.new:
        migrated = getattr(tf.keras.optimizers.legacy, row.new.rpartition(".")[2])
        config = getattr(pieces, name)(0.1).get_config()
        assert config["name"] == migrated().get_config()["name"]
