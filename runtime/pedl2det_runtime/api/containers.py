"""Functions of lists and dicts (``determined.util``, ``determined.common.util``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def chunks(lst: Sequence[T], chunk_size: int) -> Iterator[Sequence[T]]:
    """Yield slices of a sequence, of ``chunk_size`` elements or fewer at the end."""
    for start in range(0, len(lst), chunk_size):
        yield lst[start : start + chunk_size]


def filter_duplicates(in_list: Iterable[T], sorter: Any = sorted) -> set[T]:  # noqa: ARG001
    """Return the elements that a list has more than once."""
    return {value for value, times in Counter(in_list).items() if times > 1}


def merge_dicts(base_dict: dict[Any, Any], source_dict: dict[Any, Any]) -> dict[Any, Any]:
    """Return a new dict with the values of both; of two values the second, of two dicts both."""
    merged = dict(base_dict)
    for key, value in source_dict.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merge_dicts(merged[key], value) if both else value
    return merged
