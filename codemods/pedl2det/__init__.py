"""Migrate old PEDL and Determined Keras trials, and prove the result."""

__version__ = "0.1.0"
