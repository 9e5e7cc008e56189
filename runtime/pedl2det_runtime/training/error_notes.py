"""Add what may have caused an error of Keras or TensorFlow to it, as notes."""

from __future__ import annotations

import contextlib

import tensorflow as tf

from pedl2det_runtime.data.feed import Feed
from pedl2det_runtime.data.tensors import described_spec
from pedl2det_runtime.errors import Pedl2DetError
from pedl2det_runtime.errors.trial_code import add_definition, location_in_trial, notes_of
from pedl2det_runtime.training.job import Job


def explain(error: Exception, job: Job, feed: Feed, kind: str) -> None:
    """Add to an error of Keras or TensorFlow what may have caused it, unless it names a line.

    Args:
        error: what was raised while a model read batches.
        job: the trial.
        feed: the batches.
        kind: ``training`` or ``validation``.
    """
    is_explained = feed.reader.error or feed.spec is None or isinstance(error, Pedl2DetError)
    if is_explained or notes_of(error) or location_in_trial(error, job.run.directory):
        return
    is_op_error = isinstance(error, tf.errors.OpError)
    if is_op_error and "IteratorGetNext" in str(error):
        add_definition(error, job.definition(f"build_{kind}_data_loader"))
        return
    add_definition(error, job.definition("build_model"))
    if not is_op_error and not isinstance(error, TypeError | ValueError):
        return
    error.add_note(f"{kind} batches: {described_spec(feed.spec)}")
    with contextlib.suppress(AttributeError, RuntimeError):  # the model was never called
        model = job.context.model
        error.add_note(f"model: input {model.input_shape}, output {model.output_shape}")
