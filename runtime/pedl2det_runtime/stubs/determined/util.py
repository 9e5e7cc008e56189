"""``determined.util``: the functions that trials call."""

from pedl2det_runtime import refusals
from pedl2det_runtime.api.utilities import (
    calculate_batch_sizes,
    filter_duplicates,
    get_member_func,
    has_param,
    humanize_float,
    is_numerical_scalar,
    is_overridden,
    json_encode,
    make_metrics,
    merge_dicts,
    validate_batch_metrics,
)

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
