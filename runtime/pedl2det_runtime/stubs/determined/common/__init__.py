"""``determined.common``."""

from determined.common import check, experimental, util
from pedl2det_runtime import refusals
from pedl2det_runtime.api.logs import set_logger

__all__ = ["check", "experimental", "set_logger", "util"]

refusals.complete(__name__)
