"""The side of TensorFlow 1.14: Python 3.7."""
