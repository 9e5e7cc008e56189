"""Run a validation with ``model.evaluate``; explain errors of Keras about batches."""

from __future__ import annotations

import contextlib
from typing import Any, NoReturn

import tensorflow as tf

from pedl2det_runtime.backends import graph_mode
from pedl2det_runtime.data.feed import Feed
from pedl2det_runtime.data.tensors import describe_spec
from pedl2det_runtime.errors import Pedl2DetError, StrayStopError
from pedl2det_runtime.errors.trial_code import (
    add_definition,
    defined_at,
    location_in_trial,
    notes_of,
)
from pedl2det_runtime.training.callback_multiplexer import ValidationEvents
from pedl2det_runtime.training.stopping import ValidationChecks
from pedl2det_runtime.training.trial_setup import TrialSetup


def evaluate(setup: TrialSetup, batches: int, checks: ValidationChecks) -> dict[str, Any]:
    """Return the metrics of the model on this rank's validation data, by their names in reports.

    Raises:
        Interrupted: a signal stopped the validation.
    """
    model, callbacks = setup.context.model, setup.callbacks
    feed = setup.data.validation_feed(batches)
    try:
        with defined_at(setup.definition("build_validation_data_loader")):
            dataset = feed.open(model, build=False)
        longest = 1 if callbacks.needs_every_validation_batch else feed.steps or 1
        checks.limit(model, feed, longest)
        events = [ValidationEvents(callbacks, setup.generation), checks]
        logs = graph_mode.evaluate(model, graph_mode.readable(dataset), feed.steps, events)
        if feed.reader.error:
            raise feed.reader.error  # Keras took it for the end of the data
        feed.reader.finish()
    except Exception as error:
        explain(error, setup, feed, "validation")
        raise_first(feed, error)
    finally:
        feed.reader.close()
    return setup.generation.reported("validation", logs)


def raise_first(feed: Feed, error: BaseException) -> NoReturn:
    """Raise the error of the data, if there is one, rather than TensorFlow's error about it."""
    first = feed.reader.error or error
    raise first from (first.origin if isinstance(first, StrayStopError) else first.__cause__)


def explain(error: Exception, setup: TrialSetup, feed: Feed, kind: str) -> None:
    """Add possible causes to an error of Keras or TensorFlow, unless it names a line of the trial.

    ``kind`` is ``training`` or ``validation``.
    """
    is_explained = feed.reader.error or feed.spec is None or isinstance(error, Pedl2DetError)
    if is_explained or notes_of(error) or location_in_trial(error, setup.run.options.directory):
        return
    is_op_error = isinstance(error, tf.errors.OpError)
    if is_op_error and "IteratorGetNext" in str(error):
        add_definition(error, setup.definition(f"build_{kind}_data_loader"))
        return
    add_definition(error, setup.definition("build_model"))
    if not is_op_error and not isinstance(error, TypeError | ValueError):
        return
    error.add_note(f"{kind} batches: {describe_spec(feed.spec)}")
    with contextlib.suppress(AttributeError, RuntimeError):  # the model was never called
        model = setup.context.model
        error.add_note(f"model: input {model.input_shape}, output {model.output_shape}")
