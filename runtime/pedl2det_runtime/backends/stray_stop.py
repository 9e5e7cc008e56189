"""Errors that mean *the end of the data* to Keras, kept from ending a training unseen.

Keras runs callbacks and data within one place that takes ``StopIteration`` and TensorFlow's
``OutOfRangeError`` for an exhausted input: it would stop there and report success.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pedl2det_runtime.errors import StrayStopError


def stray_stop(error: BaseException) -> StrayStopError:
    """The error to raise from one that Keras would take for the end of the data."""
    said = f"{type(error).__name__}: {error}".rstrip(": ")
    return StrayStopError(
        f"{said}: this error was not caught, and Keras takes it for the end of the training data: "
        "catch it, or raise another one",
        error,
    )


@contextmanager
def kept_from_keras() -> Iterator[None]:
    """Have nothing that the code within raises end the training unseen.

    Raises:
        StrayStopError: in place of ``StopIteration`` or ``OutOfRangeError``.
    """
    import tensorflow as tf

    try:
        yield
    except (StopIteration, tf.errors.OutOfRangeError) as error:
        raise stray_stop(error) from error
