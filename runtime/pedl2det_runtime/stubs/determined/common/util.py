"""``determined.common.util``: the functions that trials call."""

from pedl2det_runtime import refusals
from pedl2det_runtime.api.containers import chunks
from pedl2det_runtime.api.logs import debug_mode, strtobool
from pedl2det_runtime.api.number_formats import sizeof_fmt
from pedl2det_runtime.api.waiting import wait_for
from pedl2det_runtime.backends.random_state import preserve_random_state
from pedl2det_runtime.config.yaml12 import yaml_safe_dump, yaml_safe_load

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
