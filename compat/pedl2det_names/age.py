"""How old code is, by the TensorFlow that it was written for."""

from __future__ import annotations

from enum import Enum


class Age(Enum):
    """The TensorFlow that a project was written for."""

    TENSORFLOW_1 = "TensorFlow 1"  #: or standalone Keras before 2.4, which meant the same
    TENSORFLOW_2 = "TensorFlow 2.0 to 2.10"  #: it uses names or arguments that are gone
    CURRENT = "TensorFlow 2.11 and later"
