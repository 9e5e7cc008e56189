"""The TensorFlow in the name of an image: ``py-3.6.9-pytorch-1.4-tf-1.15-cpu-0.5.0``."""

from __future__ import annotations

import re

OLD_IMAGE = "a migrated trial needs TensorFlow 2.15 or later, and this image has an older one"
_TENSORFLOW = re.compile(r"(?:[-:]tf|\btensorflow)[-:](\d+)\.(\d+)")


def tensorflow_in(image: str) -> set[tuple[int, int]]:
    """Return the versions of TensorFlow that the name of an image says."""
    return {(int(major), int(minor)) for major, minor in _TENSORFLOW.findall(image)}


def is_old_image(image: str) -> bool:
    """Tell whether the name of an image says that its TensorFlow is too old."""
    return any(version < (2, 15) for version in tensorflow_in(image))
