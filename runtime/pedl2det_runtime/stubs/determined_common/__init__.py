"""``determined_common``: the name of ``determined.common`` before Determined 0.14."""

from determined.common import check, set_logger, util

from determined_common import experimental
from pedl2det_runtime import refusals

__all__ = ["check", "experimental", "set_logger", "util"]

refusals.complete(__name__)
