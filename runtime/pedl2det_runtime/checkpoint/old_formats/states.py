"""Read the pickled states beside the model of a Determined checkpoint, without running code.

A pickle of Determined may call TensorFlow, to rebuild a variable or a tensor. Stand-ins take their
place here and keep the array that it holds.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pedl2det_runtime.backends import graph_mode, random_state
from pedl2det_runtime.checkpoint import safe_pickle
from pedl2det_runtime.checkpoint.untrusted_files import JSON_BYTES, read_bytes, reading
from pedl2det_runtime.errors import DamagedCheckpointError

RANDOM = "rng_state.pkl"
CALLBACKS = "determined-callbacks.v1.pkl"
SEQUENCER = "workload_sequencer.pkl"
#: The state of the callback that Determined put before those of the user.
_PROGRESS = {"trained_total", "validation_len"}


@dataclass(frozen=True)
class RandomStates:
    """The global random states of a process."""

    host: dict[str, Any]  #: of ``random`` and NumPy (:func:`~.backends.random_state.host_state`)
    #: of ``tf.random.get_global_generator()``; None if TensorFlow 1 wrote it
    generator: npt.NDArray[Any] | None = None
    algorithm: int | None = None  #: number of the generator's algorithm

    def restore_generator(self) -> bool:
        """Restore TensorFlow's global generator, if there is one; return whether the state fits."""
        import tensorflow as tf

        if self.generator is None or graph_mode.is_chosen():
            return True
        own = tf.random.get_global_generator()
        fits = int(own.algorithm) == self.algorithm
        fits = fits and tuple(own.state.shape) == self.generator.shape
        if fits:
            own.state.assign(self.generator)
        return fits


def random_states(directory: Path) -> RandomStates | None:
    """Return the random states of a checkpoint, if it has any."""
    states = _read(directory / RANDOM)
    if states is None:
        return None
    with reading(directory / RANDOM):
        version, words, gauss = states["random_rng_state"]
        name, keys, position, has_gauss, cached = states["np_rng_state"]
        host = {
            "python": [version, list(words), gauss],
            "numpy": [name, np.asarray(keys).tolist(), position, has_gauss, cached],
        }
        random_state.check_host_state(host)
        if "tf2_rng_global_state" not in states:
            return RandomStates(host)
        generator = np.asarray(states["tf2_rng_global_state"], np.int64)
        return RandomStates(host, generator, int(states["tf2_rng_global_algorithm"]))


def callback_states(directory: Path, home: Path | None = None) -> list[Any] | None:
    """Return the states of the user's callbacks, if the checkpoint has any.

    Determined put a callback of its own before them, if it was verbose, and one after them. The
    states may use the classes of a trial that is loaded from ``home``.
    """
    states = _read(directory / CALLBACKS, home)
    if states is None:
        return None
    with reading(directory / CALLBACKS):
        everyone: list[Any] = states["callbacks"]
        first = everyone[0]
        is_ours = isinstance(first, dict) and first.keys() == _PROGRESS
        return everyone[1:-1] if is_ours else everyone[:-1]


def trained_batches(directory: Path) -> int | None:
    """Return the number of batches that the sequencer counts, or the callbacks, if any does."""
    sequencer = _read(directory / SEQUENCER) or {}
    counts = [sequencer.get(name) for name in ("steps_completed", "latest_batch")]
    with contextlib.suppress(DamagedCheckpointError, KeyError):  # it may hold the trial's objects
        counts.append((_read(directory / CALLBACKS) or {})["self"]["total_batches"])
    return next((count for count in counts if isinstance(count, int)), None)


def _read(path: Path, home: Path | None = None) -> dict[str, Any] | None:
    if not os.path.lexists(path):
        return None
    data = read_bytes(path, JSON_BYTES)
    with reading(path):
        value = safe_pickle.loads(data, home, _STAND_INS)
        if not isinstance(value, dict):
            raise ValueError(f"expected a dict, found {type(value).__name__}")
        return value


class _Partial:
    """``functools.partial(ResourceVariable, initial_value=...)``: called, it is the value."""

    def __init__(self, _: Any) -> None:
        self.__name__ = "partial"
        self._value: Any = None

    def __setstate__(self, state: Any) -> None:
        _, _, keywords, _ = state
        self._value = keywords["initial_value"]

    def __call__(self) -> Any:
        return self._value


def _variable() -> None:
    raise ValueError("it creates a variable without a value")


def _dtype(name: Any) -> str:
    return str(name)


def _tensor(value: Any) -> Any:
    return value


_STAND_INS: safe_pickle.StandIns = {
    ("functools", "partial"): _Partial,
    ("tensorflow.python.ops.resource_variable_ops", "ResourceVariable"): _variable,
    ("tensorflow.python.framework.dtypes", "as_dtype"): _dtype,
    ("tensorflow.python.framework.ops", "convert_to_tensor"): _tensor,
    ("tensorflow.python.framework.tensor_conversion", "convert_to_tensor_v2"): _tensor,
}
