"""``determined.util``: the functions that trials call."""

from pedl2det_runtime import refusals
from pedl2det_runtime.api.batch_metrics import (
    calculate_batch_sizes,
    is_numerical_scalar,
    make_metrics,
    validate_batch_metrics,
)
from pedl2det_runtime.api.containers import filter_duplicates, merge_dicts
from pedl2det_runtime.api.introspection import get_member_func, has_param, is_overridden
from pedl2det_runtime.api.number_formats import humanize_float
from pedl2det_runtime.core.json_values import json_encode

__all__ = [
    "calculate_batch_sizes",
    "filter_duplicates",
    "get_member_func",
    "has_param",
    "humanize_float",
    "is_numerical_scalar",
    "is_overridden",
    "json_encode",
    "make_metrics",
    "merge_dicts",
    "validate_batch_metrics",
]

refusals.complete(__name__)
