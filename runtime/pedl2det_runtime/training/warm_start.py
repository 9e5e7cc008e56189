"""Begin a new run with the weights and states of a checkpoint of any format.

Batches and reports are counted from 0. The settings of the optimizers, such as the learning rate,
are those of the code. One line says what was taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pedl2det_runtime.backends import graph_mode, keras_versions, random_state
from pedl2det_runtime.checkpoint import directory, model_files, resource_limits, safe_pickle
from pedl2det_runtime.checkpoint.old_formats import states
from pedl2det_runtime.checkpoint.old_formats.old_checkpoint import OldCheckpoint, open_checkpoint
from pedl2det_runtime.checkpoint.state import RankState
from pedl2det_runtime.checkpoint.untrusted_files import reading
from pedl2det_runtime.errors import CheckpointError, DamagedCheckpointError
from pedl2det_runtime.training.run_record import SourceCheckpoint
from pedl2det_runtime.training.trial_setup import TrialSetup

_REMEDY = "take only its weights with --weights-only"
_COMPARE = "compare its layers and hparams with the trial: pedl2det checkpoint show"


class WarmStart:
    """The checkpoint that a new run begins with."""

    def __init__(self, setup: TrialSetup, source: SourceCheckpoint) -> None:
        self._setup = setup
        self._path = source.path
        self._weights_only = source.weights_only
        self._taken = ["the weights"]
        self._notes: list[str] = []
        self._is_own = directory.is_own(source.path)

    def restore_random(self) -> None:
        """Restore the global random states, before the first batch is made."""
        if self._weights_only:
            return
        with _advice(_REMEDY):
            if self._is_own:
                saved = states.RandomStates(self._own_state().random)
            else:
                saved = states.random_states(self._path) or states.RandomStates({})
        if not saved.host:
            self._notes.append("it holds no random states")
            return
        random_state.restore_host_state(saved.host)
        if not saved.restore_generator():
            self._notes.append("the state of TensorFlow's generator does not fit")
        self._taken.append("the random states")

    def restore_model(self) -> None:
        """Restore the weights and the optimizers of the built model."""
        model = self._setup.context.model
        if self._is_own and not self._weights_only:
            self._restore_own(model)
            return
        old = open_checkpoint(self._path)
        with _advice(f"{_COMPARE} {self._path}"), model_files.fit_errors(old.weights.file):
            old.weights.restore_weights(model, resource_limits.largest(model))
        if not self._weights_only:
            self._restore_optimizers(old)

    def restore_callbacks(self) -> None:
        """Restore the states of the callbacks, and say what was taken of the checkpoint."""
        if not self._weights_only:
            with _advice(_REMEDY):
                saved = self._callback_states()
            callbacks = self._setup.callbacks
            if saved and len(saved) != callbacks.count:
                self._notes.append(
                    f"it holds the states of {len(saved)} callbacks, the trial has "
                    f"{callbacks.count}: none was taken"
                )
            elif saved:
                callbacks.restore_states(saved, self._path)
                self._taken.append("the states of the callbacks")
        notes = "".join(f"; {note}" for note in self._notes)
        self._setup.run.say(f"from {self._path}: took {', '.join(self._taken)}{notes}")

    def _restore_own(self, model: Any) -> None:
        settings = frozenset(
            f"{name}.{setting}"
            for name, optimizer in keras_versions.named_optimizers(model).items()
            for setting in keras_versions.optimizer_settings(optimizer)
            if not setting.startswith(keras_versions.LOSS_SCALE)
        )
        with _advice(f"if only the optimizer differs, {_REMEDY}; {_COMPARE} {self._path}"):
            model_files.restore_weights(self._path, model, settings)
        self._taken.append("the optimizer")
        layers = self._own_state().layers
        variables = model_files.layer_state_variables(model) if layers else []
        if [state.shape for state in layers] == [tuple(own.shape) for own in variables]:
            for variable, state in zip(variables, layers, strict=True):
                graph_mode.assign(variable, state)
        else:
            self._notes.append("the states of random layers do not fit")

    def _restore_optimizers(self, old: OldCheckpoint) -> None:
        context = self._setup.context
        with _advice(_REMEDY):
            saved = old.restore_optimizers(context.model, context.optimizers)
        for state in saved:
            steps = "" if state.steps is None else f" after {state.steps} steps"
            self._taken.append(f"the state of {state.likely_kind or 'the optimizer'}{steps}")
        before = old.weights.learning_rate()
        variable = keras_versions.optimizer_settings(context.model.optimizer).get("learning_rate")
        if before is None or variable is None:
            return
        now = float(graph_mode.value(variable))
        if np.float32(before) != np.float32(now):
            self._notes.append(
                f"the learning rate is {now:.6g} as in the code, not {before:.6g} as at the "
                "checkpoint"
            )

    def _callback_states(self) -> list[Any] | None:
        home = self._setup.run.options.directory
        if not self._is_own:
            return states.callback_states(self._path, home)
        own = self._own_state()
        with reading(own.directory / "callbacks.pkl"):
            saved: list[Any] = safe_pickle.loads(own.callbacks, home)
            return saved

    def _own_state(self) -> RankState:
        return RankState.read(self._path, self._setup.context.distributed.rank)


@contextmanager
def _advice(remedy: str) -> Iterator[None]:
    """Add a remedy to an error; comparing helps with a checkpoint that is whole."""
    try:
        yield
    except CheckpointError as error:
        if isinstance(error, DamagedCheckpointError) and remedy != _REMEDY:
            raise
        raise type(error)(f"{error}; {remedy}") from None
