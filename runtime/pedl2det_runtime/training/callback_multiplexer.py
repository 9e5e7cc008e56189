"""Call the user's callbacks in the documented order (docs/semantics.md, *Callbacks*)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import tensorflow as tf

from pedl2det_runtime.api.callbacks import Callback
from pedl2det_runtime.backends import graph_mode
from pedl2det_runtime.checkpoint import safe_pickle
from pedl2det_runtime.checkpoint.state import RankState
from pedl2det_runtime.checkpoint.untrusted_files import reading
from pedl2det_runtime.config.generation import Generation
from pedl2det_runtime.data.attribute_changes import AttributeChanges
from pedl2det_runtime.errors import CheckFailedError, CheckpointError
from pedl2det_runtime.errors.repeated_warnings import logger
from pedl2det_runtime.errors.trial_code import kept_from_keras
from pedl2det_runtime.training.metric_checks import MissingMetrics

_log = logger(__name__)
#: Callbacks of Keras that write whatever the logs of a batch have.
_BY_NAMES_IN_LOGS = (tf.keras.callbacks.ModelCheckpoint, tf.keras.callbacks.TensorBoard)


def _has_hooks_of_then(callback: Any) -> bool:
    """Whether a class has the hooks that Keras' own subclasses of ``Callback`` no longer call."""
    base = tf.keras.callbacks.Callback
    names = ("on_batch_begin", "on_batch_end")
    return any(getattr(type(callback), name) is not getattr(base, name) for name in names)


class Multiplexer:
    """Dispatches each event to the user's callbacks, in the order of their list.

    States may hold instances of classes that are defined in the trial's directory, ``home``. An
    ``epoch`` of 0 batches means that ``on_epoch_end`` will never be called. With ``params_of_fit``,
    Keras callbacks get the ``params`` of the ``fit`` of the old harness, whose epochs have no end.

    Ranks other than the chief leave out callbacks with ``_chief_worker_only``, and callbacks of
    Keras that write files.

    Raises:
        CheckFailedError: ``callbacks`` is no list of Keras callbacks, or one of them is a
            ``determined.keras.callbacks.Callback`` with ``on_epoch_end`` and there are no epochs.
    """

    def __init__(
        self,
        callbacks: Any,
        model: Any,
        *,
        home: Path,
        batch_size: int,
        epoch: int = 1,
        params_of_fit: bool = False,
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
            if not epoch:
                _check_epochs(callback)
        self.count = len(callbacks)
        here = [
            (place, callback)
            for place, callback in enumerate(callbacks)
            if is_chief or not _is_of_the_chief(callback)
        ]
        self.missing_metrics = MissingMetrics(callbacks)
        self._callbacks: list[Any] = [callback for _, callback in here]
        self._home = home
        self._is_never_chunked = graph_mode.is_chosen()
        params = {"batch_size": batch_size, "verbose": False, "do_validation": False}
        unknown: dict[str, Any] = {"epochs": None, "steps": None, "samples": None, "metrics": []}
        self._metrics: list[str] = []
        self._size_in_logs = batch_size if params_of_fit else None
        of_fit = {"epochs": sys.maxsize, "steps": epoch, "samples": epoch, "metrics": self._metrics}
        for callback in self._callbacks:
            callback.set_model(model)
            is_of_fit = params_of_fit and not isinstance(callback, Callback)
            callback.set_params(params | (of_fit if is_of_fit else unknown))
        # Keras' own callbacks have no get_state: their changed attributes are saved.
        self._memories = [(place, callback, AttributeChanges(callback)) for place, callback in here]

    @property
    def needs_every_training_batch(self) -> bool:
        """Whether a callback has hooks of single training batches."""
        return self._is_never_chunked or any(
            callback._implements_train_batch_hooks() or _has_hooks_of_then(callback)
            for callback in self._callbacks
        )

    @property
    def needs_every_validation_batch(self) -> bool:
        """Whether a callback implements hooks of single validation batches."""
        return self._is_never_chunked or any(
            callback._implements_test_batch_hooks() for callback in self._callbacks
        )

    @property
    def act_within_validations(self) -> bool:
        """Whether a callback implements a hook that is called before the end of a validation."""
        base = tf.keras.callbacks.Callback.on_test_begin
        return any(
            callback.__class__.on_test_begin is not base or callback._implements_test_batch_hooks()
            for callback in self._callbacks
        )

    @property
    def may_add_metrics(self) -> bool:
        """Whether a callback of the trial may add to the metrics of a validation."""
        base = tf.keras.callbacks.Callback
        return any(
            getattr(callback, "_supports_tf_logs", False)
            and callback.__class__.on_test_end is not base.on_test_end
            and callback.__class__.__module__.partition(".")[0] != base.__module__.partition(".")[0]
            for callback in self._callbacks
        )

    def keras(self, event: str, *args: Any) -> None:
        """Call a hook of ``tf.keras.callbacks.Callback`` on each callback."""
        for callback in self._callbacks:
            getattr(callback, event)(*args)

    def of_batch(self, event: str, index: int, logs: dict[str, float]) -> None:
        """Call a hook of a training batch; before TensorFlow 2 its logs had number and size."""
        self._metrics[:] = logs or self._metrics
        size = self._size_in_logs
        of_then = logs if size is None else {"batch": index, "size": size, **logs}
        for callback in self._callbacks:
            is_of_today = isinstance(callback, _BY_NAMES_IN_LOGS)
            getattr(callback, event)(index, logs if is_of_today else of_then)

    def of_epoch(self, index: int, logs: dict[str, float]) -> None:
        """Call ``on_epoch_end`` with metrics of training, which are then named in ``params``."""
        self._metrics[:] = logs or self._metrics
        self.keras("on_epoch_end", index, logs)

    def on_test_end(self, metrics: dict[str, Any]) -> None:
        """Call ``on_test_end`` with the metrics that are reported afterwards.

        A callback with ``_supports_tf_logs`` gets the dict itself and may add to it; others get a
        copy.
        """
        for callback in self._callbacks:
            shares = getattr(callback, "_supports_tf_logs", False)
            callback.on_test_end(metrics if shares else dict(metrics))

    def determined(self, event: str, *args: Any) -> None:
        """Call a hook of :class:`~.callbacks.Callback` on those that have it."""
        for callback in self._callbacks:
            if isinstance(callback, Callback):
                getattr(callback, event)(*args)

    def dump_states(self) -> bytes:
        """Pickle the states of all callbacks.

        Raises:
            CheckpointError: a state holds more than data and instances of the trial's classes.
        """
        states: list[Any] = [None] * self.count
        for place, callback, memory in self._memories:
            is_ours = isinstance(callback, Callback)
            state = callback.get_state() if is_ours else memory.changes()
            try:
                safe_pickle.dumps(state, self._home)
            except CheckpointError as error:
                raise CheckpointError(f"{type(callback).__name__}.get_state(): {error}") from None
            states[place] = state
        return safe_pickle.dumps(states, self._home)

    def load_states(self, own: RankState) -> None:
        """Restore the state of each callback.

        Raises:
            CheckFailedError: there are more or fewer callbacks than when the states were saved.
            DamagedCheckpointError: the pickle holds anything that :meth:`dump_states` does not
                write.
        """
        file = own.directory / "callbacks.pkl"
        with reading(file):
            states = safe_pickle.loads(own.callbacks, self._home)
            if not isinstance(states, list):
                raise ValueError("expected a list of states")
        if len(states) != self.count:
            raise CheckFailedError(
                f"{file}: the checkpoint holds the state of {len(states)} callbacks, "
                f"keras_callbacks() returned {self.count}"
            )
        self.restore_states(states, file)

    def restore_states(self, states: list[Any], file: Path) -> None:
        """Restore one state for each callback of the list; None leaves a callback as it is."""
        for place, callback, memory in self._memories:
            state = states[place]
            if state is None:
                continue  # the rank that wrote it had no such callback
            if isinstance(callback, Callback):
                callback.load_state(state)
            else:
                with reading(file):
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
    message = (
        f"{type(callback).__name__}.on_epoch_end will never be called: records_per_epoch, which "
        "says how long an epoch is, is missing in the config, or less than one batch"
    )
    if isinstance(callback, Callback):
        raise CheckFailedError(f"{message}; set it, or act in on_train_workload_end or on_test_end")
    _log.warning(message)


class ValidationEvents(tf.keras.callbacks.Callback):
    """Forwards the hooks of ``model.evaluate`` to the user's callbacks.

    All but ``on_test_end``: Keras calls it before the metrics have their reported names, so the
    training loop calls it.
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
        if self._user.needs_every_validation_batch:
            self._user.keras("on_test_batch_begin", batch, logs)

    @kept_from_keras()
    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        if not self._user.needs_every_validation_batch:
            return
        named = self._generation.during_validation(dict(logs or {}))
        self._user.keras("on_test_batch_end", batch, self._generation.with_aliases(named))

    def _implements_test_batch_hooks(self) -> bool:
        return self._user.needs_every_validation_batch
