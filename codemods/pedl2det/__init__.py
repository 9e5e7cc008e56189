"""pedl2det: migrates old PEDL and Determined Keras trials, and proves the result."""

__version__ = "0.1.0"
