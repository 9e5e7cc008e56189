"""One validation pass by ``model.evaluate``."""

from __future__ import annotations

from typing import Any, NoReturn

from pedl2det_runtime.backends import graph_mode
from pedl2det_runtime.data.feed import Feed
from pedl2det_runtime.errors import StrayStopError
from pedl2det_runtime.errors.trial_code import (
    defined_at,
)
from pedl2det_runtime.training.callback_multiplexer import ValidationEvents
from pedl2det_runtime.training.error_notes import explain
from pedl2det_runtime.training.job import Job
from pedl2det_runtime.training.signal_checks import ValidationChecks


def evaluate(job: Job, batches: int, checks: ValidationChecks) -> dict[str, Any]:
    """Evaluate the model on this rank's share of the validation data.

    Args:
        job: the trial.
        batches: how many batches it has trained.
        checks: how many batches an execution has, and whether a signal may stop it.

    Raises:
        Interrupted: a signal stopped it.

    Returns:
        The metrics, by their names in reports.
    """
    model, callbacks = job.context.model, job.callbacks
    feed = job.data.validation_feed(batches)
    try:
        with defined_at(job.definition("build_validation_data_loader")):
            dataset = feed.open(model, build=False)
        longest = 1 if callbacks.needs_every_validation_batch else feed.steps or 1
        checks.limit(model, feed, longest)
        events = [ValidationEvents(callbacks, job.generation), checks]
        logs = graph_mode.evaluate(model, graph_mode.readable(dataset), feed.steps, events)
        if feed.reader.error:
            raise feed.reader.error  # Keras took it for the end of the data
        feed.reader.finish()
    except Exception as error:
        explain(error, job, feed, "validation")
        raise_first(feed, error)
    finally:
        feed.reader.close()
    return job.generation.reported("validation", logs)


def raise_first(feed: Feed, error: BaseException) -> NoReturn:
    """Raise what the data raised, if they did, rather than TensorFlow's account of it."""
    first = feed.reader.error or error
    raise first from (first.origin if isinstance(first, StrayStopError) else first.__cause__)
