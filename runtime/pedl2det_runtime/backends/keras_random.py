"""The random states of ``random``, NumPy and TensorFlow (``determined.keras.get_rng_state``)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import tensorflow as tf


def get_rng_state() -> dict[str, Any]:
    """Return the states of ``random``, NumPy and, in eager mode, TensorFlow's global generator."""
    state: dict[str, Any] = {
        "np_rng_state": np.random.get_state(),
        "random_rng_state": random.getstate(),
    }
    if tf.executing_eagerly():
        generator = tf.random.get_global_generator()
        state["tf2_rng_global_algorithm"] = int(generator.algorithm)
        state["tf2_rng_global_state"] = np.array(generator.state)
    return state


def set_rng_state(rng_state: dict[str, Any]) -> None:
    """Restore the states that :func:`get_rng_state` returned.

    Args:
        rng_state: the states.
    """
    np.random.set_state(rng_state["np_rng_state"])
    random.setstate(rng_state["random_rng_state"])
    if tf.executing_eagerly() and "tf2_rng_global_state" in rng_state:
        algorithm, state = rng_state["tf2_rng_global_algorithm"], rng_state["tf2_rng_global_state"]
        tf.random.set_global_generator(tf.random.Generator.from_state(np.array(state), algorithm))
