"""A warning about ``ImageDataGenerator``, whose transformations have changed.

See docs/tf1.md, Differences.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any

_log = logging.getLogger(__name__)

_RANGES = ("rotation_range", "width_shift_range", "height_shift_range", "shear_range", "zoom_range")


def warning(original: Callable[..., None]) -> Callable[..., None]:
    """Wrap the constructor of ``ImageDataGenerator`` to warn of changed transformations."""
    signature = inspect.signature(original)

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        original(self, *args, **kwargs)
        arguments = signature.bind(self, *args, **kwargs).arguments
        used = [name for name in _RANGES if arguments.get(name)]
        if used:
            _log.warning(
                "ImageDataGenerator(%s): Keras has swapped the axes of these transformations and "
                "moved their center by a pixel: a shift of the width moves rows",
                ", ".join(f"{name}={arguments[name]!r}" for name in used),
            )

    return __init__
