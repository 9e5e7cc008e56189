"""The random states of a trial: seeded before anything of it runs, saved, restored.

Python's ``random``, NumPy's global generator and TensorFlow's. Every random layer of the model
has a generator of its own, which :mod:`pedl2det_runtime.checkpoint.format` saves with the model.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np


def seed_everything(seed: int) -> None:
    """Seed Python, NumPy and TensorFlow.

    Leaves TensorFlow's runtime unstarted, so that the trial's session_config may still set the
    number of threads.
    """
    import tensorflow as tf

    random.seed(seed)
    np.random.seed(seed % 2**32)
    tf.random.set_seed(seed)


def seed_global_generator(seed: int) -> None:
    """Seed ``tf.random.get_global_generator()``, which is unseeded otherwise."""
    import tensorflow as tf

    if tf.executing_eagerly():
        tf.random.set_global_generator(tf.random.Generator.from_seed(seed))


def global_generator_states() -> list[Any]:
    """The state variable of ``tf.random.get_global_generator()``, where there is one."""
    import tensorflow as tf

    return [tf.random.get_global_generator().state] if tf.executing_eagerly() else []


def seed_batch(stream: tuple[int, ...], batch: int) -> None:
    """Seed a data worker for one batch of a stream, whichever process makes it."""
    words = np.random.SeedSequence([*stream, batch]).generate_state(2)
    np.random.seed(int(words[0]))
    random.seed(int(words[1]))


def host_state() -> dict[str, Any]:
    """The states of ``random`` and NumPy as plain JSON values."""
    version, words, gauss = random.getstate()
    name, keys, position, has_gauss, cached = np.random.get_state()
    return {
        "python": [version, list(words), gauss],
        "numpy": [name, np.asarray(keys).tolist(), int(position), int(has_gauss), float(cached)],
    }


def restore_host_state(state: dict[str, Any]) -> None:
    """Put back what :func:`host_state` gave."""
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    name, keys, position, has_gauss, cached = state["numpy"]
    np.random.set_state((name, np.asarray(keys, dtype=np.uint32), position, has_gauss, cached))


def draws_so_far() -> tuple[object, object]:
    """A mark that changes whenever ``random`` or NumPy's global generator is drawn from."""
    _, keys, *others = np.random.get_state()
    return random.getstate(), (np.asarray(keys).tobytes(), *others)
