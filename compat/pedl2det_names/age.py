"""The age of code: the TensorFlow version that it was written for."""

from __future__ import annotations

from enum import Enum


class Age(Enum):
    """The TensorFlow version that a project was written for."""

    TENSORFLOW_1 = "TensorFlow 1"  #: or standalone Keras before 2.4, with the same semantics
    TENSORFLOW_2 = "TensorFlow 2.0 to 2.10"  #: it uses names or arguments that were removed
    CURRENT = "TensorFlow 2.11 and later"
