"""Checks of arguments (``determined.common.check``): each raises CheckFailedError if it fails.

``reason`` is added to the message.
"""

from __future__ import annotations

from collections.abc import Container, Sized
from typing import Any

from pedl2det_runtime.errors import CheckFailedError

Types = type | tuple[type, ...]


def _check(holds: bool, what: str, reason: str | None) -> None:
    if not holds:
        raise CheckFailedError(f"CHECK FAILED! {what}{f': {reason}' if reason else ''}")


def true(val: bool, reason: str | None = None) -> None:
    """Check that a value is true."""
    _check(bool(val), f"Got {val!r}, expected True", reason)


def false(val: bool, reason: str | None = None) -> None:
    """Check that a value is false."""
    _check(not val, f"Got {val!r}, expected False", reason)


def eq(val: Any, expected: Any, reason: str | None = None) -> None:
    """Check that two values are equal."""
    _check(val == expected, f"Got {val!r}, expected {expected!r}", reason)


def not_eq(x: Any, y: Any, reason: str | None = None) -> None:
    """Check that two values differ."""
    _check(x != y, f"Got {x!r}, expected value != {y!r}", reason)


def gt(x: Any, y: Any, reason: str | None = None) -> None:
    """Check that ``x > y``."""
    _check(x > y, f"Got {x!r}, expected value > {y!r}", reason)


def gt_eq(x: Any, y: Any, reason: str | None = None) -> None:
    """Check that ``x >= y``."""
    _check(x >= y, f"Got {x!r}, expected value >= {y!r}", reason)


def lt(x: Any, y: Any, reason: str | None = None) -> None:
    """Check that ``x < y``."""
    _check(x < y, f"Got {x!r}, expected value < {y!r}", reason)


def lt_eq(x: Any, y: Any, reason: str | None = None) -> None:
    """Check that ``x <= y``."""
    _check(x <= y, f"Got {x!r}, expected value <= {y!r}", reason)


def is_in(val: Any, expected: Container[Any], reason: str | None = None) -> None:
    """Check that a container has a value."""
    _check(val in expected, f"{val!r} is not in {expected!r}", reason)


def not_in(val: Any, expected: Container[Any], reason: str | None = None) -> None:
    """Check that a container does not have a value."""
    _check(val not in expected, f"Got {val!r}, expected value not in {expected!r}", reason)


def is_none(val: Any, reason: str | None = None) -> None:
    """Check that a value is None."""
    _check(val is None, f"Got {val!r}, expected None", reason)


def is_not_none(val: Any, reason: str | None = None) -> None:
    """Check that a value is not None."""
    _check(val is not None, "Got None, expected non-None", reason)


def len_eq(val: Sized, expected_len: int, reason: str | None = None) -> None:
    """Check the length of a value."""
    why = f": {reason}" if reason else ""
    what = f"Got length {len(val)}, expected length {expected_len}{why}. Values: {val!r}"
    _check(len(val) == expected_len, what, None)


def equal_lengths(x: Sized, y: Sized, reason: str | None = None) -> None:
    """Check that two values have the same length."""
    what = f"Expected lengths {len(x)} and {len(y)} to be equal; values: {x!r}, {y!r}"
    _check(len(x) == len(y), what, reason)


def is_type(val: Any, expected: type, reason: str | None = None) -> None:
    """Check the exact type of a value."""
    what = f"{val!r} has type {type(val)}, expected type {expected}"
    _check(type(val) is expected, what, reason)


def is_instance(val: Any, expected: Types, reason: str | None = None) -> None:
    """Check that a value is an instance of a type, or of one of several."""
    what = f"{val!r} has type {type(val)}, expected isinstance of {expected}"
    _check(isinstance(val, expected), what, reason)


def is_not_instance(val: Any, expected: Types, reason: str | None = None) -> None:
    """Check that a value is not an instance of a type, or of any of several."""
    what = f"{val!r} has type {type(val)}, expected not isinstance of {expected}"
    _check(not isinstance(val, expected), what, reason)


def is_subclass(val: type, expected: type, reason: str | None = None) -> None:
    """Check that a class derives from another."""
    what = f"{val!r} has type {type(val)}, expected issubclass of {expected}"
    _check(issubclass(val, expected), what, reason)


# Their names before Determined 0.12.
check_true, check_false = true, false
check_eq, check_not_eq = eq, not_eq
check_gt, check_gt_eq, check_lt, check_lt_eq = gt, gt_eq, lt, lt_eq
check_in, check_not_in = is_in, not_in
check_none, check_not_none = is_none, is_not_none
check_len, check_eq_len = len_eq, equal_lengths
check_type, check_isinstance = is_type, is_instance
check_not_isinstance, check_issubclass = is_not_instance, is_subclass
