"""Dimensions of a shape."""


def dimension(size):
    """Return the size of a dimension, which had an attribute `value` before TensorFlow 2."""
    return getattr(size, "value", size)
