"""``determined_common``: the name of ``determined.common`` before Determined 0.14."""

from determined_common import experimental
from pedl2det_runtime import refusals

__all__ = ["experimental"]

refusals.complete(__name__)
