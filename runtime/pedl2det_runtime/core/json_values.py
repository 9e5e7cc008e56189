"""Reports and metadata as JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from pedl2det_runtime.errors import CheckFailedError


def checked_json(name: str, value: dict[str, Any], indent: int | None = None) -> str:
    """Return a mapping of a user as JSON.

    Args:
        name: the name of the mapping, for messages.
        value: the mapping.
        indent: spaces for each level; None for one line.

    Raises:
        CheckFailedError: it is not a dict, or has other values than numbers, text, lists and dicts.
    """
    if not isinstance(value, dict):
        raise CheckFailedError(f"{name}: expected a dict, got {value!r}")
    try:
        return json_encode(value, indent)
    except (TypeError, ValueError) as error:
        raise CheckFailedError(f"{name}: expected numbers or text: {error}") from None


def json_encode(obj: Any, indent: int | str | None = None, sort_keys: bool = False) -> str:
    """Return an object as JSON; NumPy values become numbers and lists, NaN becomes ``"NaN"``."""
    return json.dumps(_plain(obj), indent=indent, sort_keys=sort_keys)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(child) for child in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    return value
