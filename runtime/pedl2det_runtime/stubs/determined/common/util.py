"""``determined.common.util``: the functions that trials call."""

from pedl2det_runtime import refusals
from pedl2det_runtime.api.utilities import (
    chunks,
    debug_mode,
    preserve_random_state,
    sizeof_fmt,
    strtobool,
    wait_for,
    yaml_safe_dump,
    yaml_safe_load,
)

__all__ = [
    "chunks",
    "debug_mode",
    "preserve_random_state",
    "sizeof_fmt",
    "strtobool",
    "wait_for",
    "yaml_safe_dump",
    "yaml_safe_load",
]

refusals.complete(__name__)
