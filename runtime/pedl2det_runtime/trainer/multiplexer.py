"""Who calls the user's callbacks, and in which order (spec/context_api.md, 4.6)."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import tensorflow as tf

from pedl2det_runtime.api.callbacks.base import Callback
from pedl2det_runtime.api.generation import Generation
from pedl2det_runtime.backends import graph_mode
from pedl2det_runtime.backends.stray_stop import kept_from_keras
from pedl2det_runtime.checkpoint import safe_pickle
from pedl2det_runtime.data.attribute_changes import Memory
from pedl2det_runtime.errors import CheckFailedError, CheckpointError

_log = logging.getLogger(__name__)


#: What Keras' callbacks are told of the ``fit`` that they belong to, beside the batch size.
_PARAMS: dict[str, Any] = {
    "epochs": None,
    "steps": None,
    "samples": None,
    "verbose": False,
    "do_validation": False,
    "metrics": [],
}


class Multiplexer:
    """The user's callbacks as one; each event goes to them in the order of their list.

    Args:
        callbacks: what ``keras_callbacks()`` returned.
        model: the model that they see.
        home: the trial's directory, whose classes a state may be made of.
        batch_size: records in a batch of this process.
        has_epochs: whether ``on_epoch_end`` will ever be called.
        is_chief: whether this is the process that reports; callbacks that say
            ``_chief_worker_only``, and those of Keras that write files, are left out elsewhere.

    Raises:
        CheckFailedError: it is no list of Keras callbacks, or one of ours waits for the end of an
            epoch and there are none.
    """

    def __init__(
        self,
        callbacks: Any,
        model: Any,
        *,
        home: Path,
        batch_size: int,
        has_epochs: bool = True,
        is_chief: bool = True,
    ) -> None:
        if not isinstance(callbacks, list):
            raise CheckFailedError(
                f"keras_callbacks() must return a list, got {type(callbacks).__name__}"
            )
        for callback in callbacks:
            if not isinstance(callback, tf.keras.callbacks.Callback):
                raise CheckFailedError(
                    f"keras_callbacks() returned a {type(callback).__name__}, "
                    "which is no tf.keras.callbacks.Callback"
                )
            if not has_epochs:
                _check_epochs(callback)
        self._count = len(callbacks)
        here = [
            (place, callback)
            for place, callback in enumerate(callbacks)
            if is_chief or not _is_of_the_chief(callback)
        ]
        self._places = [place for place, _ in here]
        self._callbacks: list[Any] = [callback for _, callback in here]
        self._home = home
        self._is_never_chunked = graph_mode.is_chosen()
        for callback in self._callbacks:
            callback.set_model(model)
            callback.set_params({"batch_size": batch_size} | _PARAMS)
        # Keras' own callbacks say nothing of their state: what they change in themselves is kept.
        self._memories = [Memory(callback) for callback in self._callbacks]

    @property
    def needs_every_training_batch(self) -> bool:
        """Whether a callback acts on single training batches."""
        return self._is_never_chunked or any(
            callback._implements_train_batch_hooks() for callback in self._callbacks
        )

    @property
    def needs_every_validation_batch(self) -> bool:
        """Whether a callback acts on single validation batches."""
        return self._is_never_chunked or any(
            callback._implements_test_batch_hooks() for callback in self._callbacks
        )

    def keras(self, event: str, *args: Any) -> None:
        """Call a hook that every Keras callback has."""
        for callback in self._callbacks:
            getattr(callback, event)(*args)

    def on_test_end(self, metrics: dict[str, Any]) -> None:
        """Call ``on_test_end`` with the named metrics, which are then reported.

        A callback that says ``_supports_tf_logs`` gets the dict itself and may add to it; others
        get a copy.
        """
        for callback in self._callbacks:
            shares = getattr(callback, "_supports_tf_logs", False)
            callback.on_test_end(metrics if shares else dict(metrics))

    def determined(self, event: str, *args: Any) -> None:
        """Call a hook that only :class:`~pedl2det_runtime.api.callbacks.Callback` has."""
        for callback in self._callbacks:
            if isinstance(callback, Callback):
                getattr(callback, event)(*args)

    def dump_states(self) -> bytes:
        """The states of all callbacks, pickled.

        Raises:
            CheckpointError: a state is more than plain data and objects of the trial's classes.
        """
        states: list[Any] = [None] * self._count
        for place, callback, memory in zip(
            self._places, self._callbacks, self._memories, strict=True
        ):
            is_ours = isinstance(callback, Callback)
            state = callback.get_state() if is_ours else memory.changes()
            try:
                safe_pickle.dumps(state, self._home)
            except CheckpointError as error:
                raise CheckpointError(f"{type(callback).__name__}.get_state(): {error}") from None
            states[place] = state
        return safe_pickle.dumps(states, self._home)

    def load_states(self, pickled: bytes) -> None:
        """Give each callback back its state.

        Raises:
            CheckFailedError: there are more or fewer callbacks than when the states were saved.
            CheckpointError: the pickle holds more than :meth:`dump_states` writes.
        """
        states = safe_pickle.loads(pickled, self._home)
        if len(states) != self._count:
            raise CheckFailedError(
                f"the checkpoint holds the state of {len(states)} callbacks, "
                f"keras_callbacks() returned {self._count}"
            )
        for place, callback, memory in zip(
            self._places, self._callbacks, self._memories, strict=True
        ):
            state = states[place]
            if state is None:
                continue  # the rank that wrote it had no such callback
            if isinstance(callback, Callback):
                callback.load_state(state)
            else:
                memory.restore(state)


def _is_of_the_chief(callback: Any) -> bool:
    keras = tf.keras.callbacks
    writers = keras.ModelCheckpoint, keras.CSVLogger, keras.TensorBoard, keras.RemoteMonitor
    return isinstance(callback, writers) or bool(getattr(callback, "_chief_worker_only", False))


def _check_epochs(callback: Any) -> None:
    base = tf.keras.callbacks.Callback.on_epoch_end
    overrides = type(callback).on_epoch_end is not base or "on_epoch_end" in vars(callback)
    if not overrides or getattr(callback, "_skip_epoch_end_check", False):
        return
    said = (
        f"{type(callback).__name__}.on_epoch_end will never be called: records_per_epoch, which "
        "says how long an epoch is, is missing in the config, or less than one batch"
    )
    if isinstance(callback, Callback):
        raise CheckFailedError(f"{said}; set it, or act in on_train_workload_end or on_test_end")
    _log.warning(said)


class ValidationEvents(tf.keras.callbacks.Callback):
    """Passes what Keras calls during ``model.evaluate`` on to the user's callbacks.

    Keras' own ``on_test_end`` comes before the metrics have their names; the controller calls
    that hook.
    """

    def __init__(self, callbacks: Multiplexer, generation: Generation) -> None:
        super().__init__()
        self._user = callbacks
        self._generation = generation

    @kept_from_keras()
    def on_test_begin(self, logs: Any = None) -> None:
        self._user.keras("on_test_begin", logs)

    @kept_from_keras()
    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._user.keras("on_test_batch_begin", batch, logs)

    @kept_from_keras()
    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        named = self._generation.during_validation(dict(logs or {}))
        self._user.keras("on_test_batch_end", batch, self._generation.with_aliases(named))

    def _implements_test_batch_hooks(self) -> bool:
        return self._user.needs_every_validation_batch
