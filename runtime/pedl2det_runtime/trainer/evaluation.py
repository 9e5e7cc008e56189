"""One validation pass by ``model.evaluate``."""

from __future__ import annotations

from typing import Any, NoReturn

from pedl2det_runtime.backends import graph_mode, keras_versions
from pedl2det_runtime.data.feed import Feed
from pedl2det_runtime.errors import StrayStopError
from pedl2det_runtime.trainer.job import Job
from pedl2det_runtime.trainer.multiplexer import ValidationEvents


def evaluate(job: Job, batches: int, *, chunked: bool) -> dict[str, Any]:
    """Evaluate the model on this rank's share of the validation data.

    Args:
        job: the trial.
        batches: how many batches it has trained.
        chunked: whether Keras may run several batches in one execution.

    Returns:
        The metrics, by their names in reports.
    """
    model, callbacks = job.context.model, job.callbacks
    feed = job.data.validation_feed(batches)
    try:
        dataset = feed.open(model, build=False)
        if chunked:
            single = callbacks.needs_every_validation_batch
            keras_versions.set_chunk(model, 1 if single else feed.steps or 1)
        events = ValidationEvents(callbacks, job.generation)
        logs = graph_mode.evaluate(model, graph_mode.readable(dataset), feed.steps, events)
        if feed.error:
            raise feed.error  # Keras took it for the end of the data
        feed.finish()
    except Exception as error:
        raise_first(feed, error)
    finally:
        feed.close()
    return job.generation.reported("validation", logs)


def raise_first(feed: Feed, error: BaseException) -> NoReturn:
    """Raise what the data raised, if they did, rather than TensorFlow's account of it."""
    first = feed.error or error
    raise first from (first.origin if isinstance(first, StrayStopError) else first.__cause__)
