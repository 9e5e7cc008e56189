"""Who calls the user's callbacks, and in which order (spec/context_api.md, 4.6)."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from pedl2det_runtime import safe_pickle
from pedl2det_runtime.callbacks.base import Callback
from pedl2det_runtime.errors import CheckFailedError, CheckpointError
from pedl2det_runtime.memory import Memory


class Multiplexer:
    """The user's callbacks as one; each event goes to them in the order of their list.

    Args:
        callbacks: what ``keras_callbacks()`` returned.
        model: the model that they see.

    Raises:
        CheckFailedError: it is no list of Keras callbacks.
    """

    def __init__(self, callbacks: Any, model: Any) -> None:
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
        self._callbacks: list[Any] = callbacks
        for callback in callbacks:
            callback.set_params({"verbose": 0})
            callback.set_model(model)
        # Keras' own callbacks say nothing of their state: what they change in themselves is kept.
        self._memories = [Memory(callback) for callback in callbacks]

    @property
    def needs_every_training_batch(self) -> bool:
        """Whether a callback acts on single training batches."""
        return any(callback._implements_train_batch_hooks() for callback in self._callbacks)

    @property
    def needs_every_validation_batch(self) -> bool:
        """Whether a callback acts on single validation batches."""
        return any(callback._implements_test_batch_hooks() for callback in self._callbacks)

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
        """Call a hook that only :class:`~pedl2det_runtime.callbacks.Callback` has."""
        for callback in self._callbacks:
            if isinstance(callback, Callback):
                getattr(callback, event)(*args)

    def get_states(self) -> list[Any]:
        """The state of each callback.

        Raises:
            CheckpointError: a state is more than plain data.
        """
        states = []
        for callback, memory in zip(self._callbacks, self._memories, strict=True):
            is_ours = isinstance(callback, Callback)
            state = callback.get_state() if is_ours else memory.changes()
            try:
                safe_pickle.dumps(state)
            except CheckpointError as error:
                raise CheckpointError(f"{type(callback).__name__}.get_state(): {error}") from None
            states.append(state)
        return states

    def load_states(self, states: list[Any]) -> None:
        """Give each callback back its state.

        Raises:
            CheckFailedError: there are more or fewer callbacks than when the states were saved.
        """
        if len(states) != len(self._callbacks):
            raise CheckFailedError(
                f"the checkpoint holds the state of {len(states)} callbacks, "
                f"keras_callbacks() returned {len(self._callbacks)}"
            )
        for callback, memory, state in zip(self._callbacks, self._memories, states, strict=True):
            if not isinstance(callback, Callback):
                memory.restore(state)
            elif state is not None:
                callback.load_state(state)


class ValidationEvents(tf.keras.callbacks.Callback):
    """Passes what Keras calls during ``model.evaluate`` on to the user's callbacks.

    Keras' own ``on_test_end`` comes before the metrics have their names; the controller calls
    that hook.
    """

    def __init__(self, callbacks: Multiplexer) -> None:
        super().__init__()
        self._user = callbacks

    def on_test_begin(self, logs: Any = None) -> None:
        self._user.keras("on_test_begin", logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        self._user.keras("on_test_batch_begin", batch, logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        self._user.keras("on_test_batch_end", batch, logs)

    def _implements_test_batch_hooks(self) -> bool:
        return self._user.needs_every_validation_batch
