"""Report exceptions that Keras would treat as the end of the data.

Keras catches ``StopIteration`` and TensorFlow's ``OutOfRangeError`` around callbacks and data. It
would end the training there and report success.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pedl2det_runtime.errors import StrayStopError


def stray_stop(error: BaseException) -> StrayStopError:
    """Return the ``StrayStopError`` to raise instead of an exception."""
    summary = f"{type(error).__name__}: {error}".rstrip(": ")
    return StrayStopError(
        f"{summary}: this exception was not caught, and Keras treats it as the end of the training "
        "data: catch it, or raise another exception",
        error,
    )


@contextmanager
def kept_from_keras() -> Iterator[None]:
    """Replace ``StopIteration`` and ``OutOfRangeError`` raised in the ``with`` block.

    Raises:
        StrayStopError: the block raised one of them.
    """
    import tensorflow as tf

    try:
        yield
    except (StopIteration, tf.errors.OutOfRangeError) as error:
        raise stray_stop(error) from error
