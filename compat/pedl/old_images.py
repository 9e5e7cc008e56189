"""A warning about ``ImageDataGenerator``, whose transformations have changed.

See docs/tf1.md, Differences.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)
#: Arguments of transformations that have changed.
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
                "ImageDataGenerator(%s): the images differ from those of old Keras, which has "
                "since exchanged rows and columns in these transformations and moved their center "
                "by one pixel; see docs/tf1.md",
                ", ".join(f"{name}={arguments[name]!r}" for name in used),
            )

    return __init__
