"""Old trials mean Keras 2 when they say ``tf.keras``."""

from pedl2det_runtime import keras_versions
from pedl2det_runtime.errors import Pedl2DetError


def choose_keras_2() -> None:
    """Make ``tf.keras`` mean Keras 2 in this process.

    Raises:
        ImportError: it cannot any more: TensorFlow was loaded with Keras 3.
    """
    try:
        keras_versions.choose_keras_2()
    except Pedl2DetError as error:
        raise ImportError(f"pedl: {error}") from None
