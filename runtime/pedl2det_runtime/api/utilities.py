"""Functions of ``determined.util`` and ``determined.common.util`` that trials call."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import logging
import math
import numbers
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import IO, Any, TypeVar

import numpy as np
import yaml

from pedl2det_runtime.api import check
from pedl2det_runtime.config import yaml12
from pedl2det_runtime.errors import InvalidExperimentException

T = TypeVar("T")
_log = logging.getLogger("determined")


@contextlib.contextmanager
def import_from_path(path: str | os.PathLike[str]) -> Iterator[None]:
    """Import modules from a directory inside the ``with`` block, beside modules of the same names.

    Afterwards the modules are usable by the names that they were imported as, and ``sys.modules``
    and ``sys.path`` are those of before.

    Args:
        path: the directory.
    """
    directory = Path(path).resolve()
    hidden = {name: sys.modules.pop(name) for name in _names_in(directory, sys.modules)}
    known = set(sys.modules)
    sys.path.insert(0, str(directory))
    try:
        yield
    finally:
        sys.path.remove(str(directory))
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file and directory in Path(file).parents:
                del sys.modules[name]
        sys.modules.update(hidden)


def _names_in(directory: Path, modules: dict[str, ModuleType]) -> list[str]:
    """Return the imported modules of which a directory has a file of its own."""
    files = {path.stem for path in directory.glob("*.py")}
    packages = {path.parent.name for path in directory.glob("*/__init__.py")}
    return [name for name in modules if name.partition(".")[0] in files | packages]


def calculate_batch_sizes(
    hparams: dict[str, Any], slots_per_trial: int, trialname: str
) -> tuple[int, int]:
    """Return the batch size of one slot, and that of all slots.

    Args:
        hparams: hyperparameters with ``global_batch_size``.
        slots_per_trial: the number of slots.
        trialname: the name of the trial, for messages.

    Raises:
        InvalidExperimentException: ``global_batch_size`` is missing, or less than the slots.
    """
    slots, size = max(slots_per_trial, 1), hparams.get("global_batch_size")
    if not isinstance(size, int) or size < slots:
        raise InvalidExperimentException(
            f"{trialname}: hyperparameters.global_batch_size: expected a whole number, {slots} or "
            f"more, got {size!r}"
        )
    return size // slots, size // slots * slots


def filter_duplicates(in_list: Iterable[T], sorter: Any = sorted) -> set[T]:  # noqa: ARG001
    """Return the elements that a list has more than once."""
    return {value for value, times in Counter(in_list).items() if times > 1}


def get_member_func(obj: Any, func_name: str) -> Any:
    """Return a method of an object; None if it has no such method."""
    found = getattr(obj, func_name, None)
    return found if callable(found) else None


def has_param(fn: Callable[..., Any], name: str, pos: int | None = None) -> bool:
    """Return whether a function has a parameter of this name, or one at a position."""
    parameters = inspect.signature(fn).parameters
    return name in parameters or (pos is not None and len(parameters) > pos)


def humanize_float(n: float) -> float:
    """Round a number to four significant digits, and to no fewer than its integer part has."""
    if n == 0 or not math.isfinite(n):
        return n
    return round(n, max(0, 3 - math.floor(math.log10(abs(n)))))


def is_numerical_scalar(n: Any) -> bool:
    """Return whether a value is a single number."""
    return isinstance(n, numbers.Number) or (isinstance(n, np.ndarray) and n.ndim == 0)


def is_overridden(full_method: Any, parent_class: Any) -> bool:
    """Return whether a method is not that of a class."""
    return bool(full_method.__qualname__.rpartition(".")[0] != parent_class.__name__)


def json_encode(obj: Any, indent: str | None = None, sort_keys: bool = False) -> str:
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


def make_metrics(num_inputs: int | None, batch_metrics: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the metrics of batches and their means.

    Args:
        num_inputs: the number of records; None if it is not known.
        batch_metrics: the metrics of each batch.
    """
    validate_batch_metrics(batch_metrics)
    names = batch_metrics[0] if batch_metrics else {}
    means = {name: float(np.mean([batch[name] for batch in batch_metrics])) for name in names}
    metrics: dict[str, Any] = {"batch_metrics": batch_metrics, "avg_metrics": means}
    return metrics if num_inputs is None else {**metrics, "num_inputs": num_inputs}


def validate_batch_metrics(batch_metrics: list[dict[str, Any]]) -> None:
    """Check that all batches have the same metrics, among them ``loss``.

    Raises:
        CheckFailedError: they differ.
    """
    for index, metrics in enumerate(batch_metrics):
        reason = f"inconsistent training metrics: index: {index}"
        check.eq(metrics.keys(), batch_metrics[0].keys(), reason)
        check.is_in("loss", metrics)


def merge_dicts(base_dict: dict[Any, Any], source_dict: dict[Any, Any]) -> dict[Any, Any]:
    """Return a new dict with the values of both; of two values the second, of two dicts both."""
    merged = dict(base_dict)
    for key, value in source_dict.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merge_dicts(merged[key], value) if both else value
    return merged


def chunks(lst: Sequence[T], chunk_size: int) -> Iterator[Sequence[T]]:
    """Yield slices of a sequence, of ``chunk_size`` elements or fewer at the end."""
    for start in range(0, len(lst), chunk_size):
        yield lst[start : start + chunk_size]


def debug_mode() -> bool:
    """Return whether ``$DET_DEBUG`` is set."""
    return strtobool(os.environ.get("DET_DEBUG", "false"))


def preserve_random_state(fn: Callable[..., T]) -> Callable[..., T]:
    """Decorate a function to leave the state of ``random`` as it was."""

    @functools.wraps(fn)
    def preserving(*args: Any, **kwargs: Any) -> T:
        state = random.getstate()
        try:
            return fn(*args, **kwargs)
        finally:
            random.setstate(state)

    return preserving


def sizeof_fmt(val: float) -> str:
    """Return a number of bytes for people, such as ``2.0KB``."""
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if abs(val) < 1024:
            return f"{val:3.1f}{unit}"
        val /= 1024
    return f"{val:.1f}PB"


def strtobool(val: str) -> bool:
    """Return False for ``n``, ``no``, ``f``, ``false``, ``off`` and ``0``; True otherwise."""
    return val.lower() not in ("n", "no", "f", "false", "off", "0")


def wait_for(predicate: Callable[[], tuple[bool, T]], timeout: float, interval: float = 0.1) -> T:
    """Call a function until the first of its results is true; return the second.

    Args:
        predicate: the function.
        timeout: seconds to wait.
        interval: seconds between two calls.

    Raises:
        TimeoutError: it was not true in time.
    """
    until = time.monotonic() + timeout
    while time.monotonic() < until:
        done, value = predicate()
        if done:
            return value
        time.sleep(interval)
    raise TimeoutError("timed out waiting for predicate")


def yaml_safe_load(stream: str | bytes | IO[str]) -> Any:
    """Read YAML 1.2, in which ``1e-4`` is a number and ``yes`` is text."""
    text = stream if isinstance(stream, str | bytes) else stream.read()
    return yaml12.parse(text.decode() if isinstance(text, bytes) else text).value


def yaml_safe_dump(data: Any, stream: IO[str] | None = None, **kwargs: Any) -> Any:
    """Write YAML to a stream, or return it."""
    return yaml.safe_dump(data, stream, **kwargs)


def set_logger(debug_enabled: bool) -> None:
    """Log messages of Determined, of level DEBUG or INFO."""
    logging.basicConfig(level=logging.INFO, format=LOG_FORMAT)
    _log.setLevel(logging.DEBUG if debug_enabled else logging.INFO)


LOG_FORMAT = "%(levelname)s: [%(process)s] %(name)s: %(message)s"
