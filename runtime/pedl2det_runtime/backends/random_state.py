"""Seed, save and restore the random states of a trial.

These are the global generators of ``random``, NumPy and TensorFlow. Each random layer of a model
has its own generator, which :mod:`pedl2det_runtime.checkpoint.model_files` saves with the model.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from pedl2det_runtime.backends import graph_mode


def seed_everything(seed: int) -> None:
    """Seed ``random``, NumPy and TensorFlow.

    TensorFlow's runtime is not initialized, so ``session_config`` can still set the thread counts.
    """
    import tensorflow as tf

    random.seed(seed)
    np.random.seed(seed % 2**32)
    tf.random.set_seed(seed)
    graph_mode.seed_graphs(seed)


def seed_global_generator(seed: int) -> None:
    """Seed ``tf.random.get_global_generator()``, which ``tf.random.set_seed`` does not seed."""
    import tensorflow as tf

    if tf.executing_eagerly():
        tf.random.set_global_generator(tf.random.Generator.from_seed(seed))


def global_generator_states() -> list[Any]:
    """Return the state variable of ``tf.random.get_global_generator()``; none in graph mode."""
    import tensorflow as tf

    return [tf.random.get_global_generator().state] if tf.executing_eagerly() else []


def seed_batch(stream: tuple[int, ...], batch: int) -> None:
    """Seed ``random`` and NumPy in a worker process for one batch.

    Args:
        stream: seed words of the run, the rank and the loader.
        batch: number of the batch.
    """
    words = np.random.SeedSequence([*stream, batch]).generate_state(2)
    np.random.seed(int(words[0]))
    random.seed(int(words[1]))


def host_state() -> dict[str, Any]:
    """Return the states of ``random`` and NumPy as JSON values."""
    version, words, gauss = random.getstate()
    name, keys, position, has_gauss, cached = np.random.get_state()
    return {
        "python": [version, list(words), gauss],
        "numpy": [name, np.asarray(keys).tolist(), int(position), int(has_gauss), float(cached)],
    }


def restore_host_state(state: dict[str, Any]) -> None:
    """Restore the states that :func:`host_state` returned."""
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    name, keys, position, has_gauss, cached = state["numpy"]
    np.random.set_state((name, np.asarray(keys, dtype=np.uint32), position, has_gauss, cached))


def check_host_state(state: dict[str, Any]) -> None:
    """Raise an error unless :func:`restore_host_state` can restore ``state``."""
    present = host_state()
    try:
        restore_host_state(state)
    finally:
        restore_host_state(present)


def fingerprint() -> tuple[object, object]:
    """Return a value that changes when ``random`` or NumPy's global generator is used."""
    _, keys, *others = np.random.get_state()
    return random.getstate(), (np.asarray(keys).tobytes(), *others)


def get_rng_state() -> dict[str, Any]:
    """Return the states of ``random``, NumPy and, in eager mode, TensorFlow's global generator."""
    import tensorflow as tf

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
    """Restore the states that :func:`get_rng_state` returned."""
    import tensorflow as tf

    np.random.set_state(rng_state["np_rng_state"])
    random.setstate(rng_state["random_rng_state"])
    if tf.executing_eagerly() and "tf2_rng_global_state" in rng_state:
        algorithm, state = rng_state["tf2_rng_global_algorithm"], rng_state["tf2_rng_global_state"]
        tf.random.set_global_generator(tf.random.Generator.from_state(np.array(state), algorithm))
