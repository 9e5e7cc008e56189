"""``determined.common.check``."""

from pedl2det_runtime import refusals
from pedl2det_runtime.api.check import *  # noqa: F403
from pedl2det_runtime.errors import CheckFailedError

refusals.complete(__name__)
