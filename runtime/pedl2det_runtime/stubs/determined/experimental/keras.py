"""``determined.experimental.keras``."""

from pedl2det_runtime.backends.keras_versions import choose_keras_2

choose_keras_2()

from pedl2det_runtime import refusals  # noqa: E402
from pedl2det_runtime.training.native_api import init  # noqa: E402

__all__ = ["init"]

refusals.complete(__name__)
