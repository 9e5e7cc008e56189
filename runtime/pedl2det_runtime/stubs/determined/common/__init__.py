"""``determined.common``."""

from determined.common import experimental
from pedl2det_runtime import refusals

__all__ = ["experimental"]

refusals.complete(__name__)
