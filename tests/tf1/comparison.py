"""Compare a training on TensorFlow 1.14 with the same one of ``pedl2det run``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

#: The largest relative difference that counts as none.
TOLERANCE = 1e-4
#: How far two random initial weights of one distribution may differ, from so many values on.
SPREAD, ENOUGH = 0.15, 200
#: What is compared by value: each batch's loss, learning rate, data and metrics; the weights after
#: the last batch; the metrics of the validation.
COLUMNS = ("loss", "rate", "data", "metrics", "weights", "validation")
_ALIASES = {"acc": "accuracy", "mean_absolute_error": "mae", "mean_squared_error": "mse"}

Metrics = dict[str, float]


@dataclass(frozen=True)
class Comparison:
    """What was compared, and how far the two sides differ.

    Attributes:
        batches: the number of batches.
        largest: the largest relative difference of each of ``COLUMNS``.
        names: a line for each name that differs.
        first_loss: the largest relative difference of the loss in the first two batches.
    """

    batches: int
    largest: dict[str, float]
    names: tuple[str, ...]
    first_loss: float

    @property
    def begins_equal(self) -> bool:
        """Whether the first update is the same, so that rounding may explain what follows."""
        return self.first_loss <= TOLERANCE

    @property
    def large(self) -> set[str]:
        """The columns that differ by more than the tolerance."""
        return {column for column, value in self.largest.items() if not value <= TOLERANCE}


def compared(directory: Path) -> Comparison:
    """Compare the records of both sides in a directory, with the run in its ``out``."""
    old, here = (json.loads((directory / name).read_text()) for name in ("there.json", "here.json"))
    batches = [line["metrics"] for line in _lines(directory / "out" / "batches.jsonl")]
    last = [*_lines(directory / "out" / "metrics.jsonl")][-1]["metrics"]
    validation = {name.removeprefix("val_"): value for name, value in last.items()}
    pairs = list(zip((batch["metrics"] for batch in old["batches"]), batches, strict=True))
    rates = zip((batch["rate"] for batch in old["batches"]), here["rates"], strict=True)
    losses = [_relative(first["loss"], second["loss"]) for first, second in pairs]
    largest = {
        "loss": _largest(losses),
        "rate": _largest(_relative(*pair) for pair in rates),
        "data": _largest(here["data"]),
        "metrics": _largest(_metric_difference(*pair) for pair in pairs),
        "weights": _largest(_weight_differences(directory)),
        "validation": _metric_difference(old["validation"], validation),
    }
    names = [line for kind in old["names"] for line in _renamed(kind, old["names"], here["names"])]
    names += [f"no metric {n} here" for n in old["batches"][0]["metrics"] if n not in here["logs"]]
    missing = (name for name in old["validation"] if _alias(name, validation) is None)
    names += [f"no metric {name} in the validation here" for name in missing]
    names += _otherwise_initialized(directory, old["names"]["weights"])
    return Comparison(len(pairs), largest, tuple(names), _largest(losses[:2]))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, path.read_text().splitlines())


def _renamed(kind: str, old: dict[str, list[str]], here: dict[str, list[str]]) -> Iterator[str]:
    if len(old[kind]) != len(here[kind]):
        yield f"{kind}: {len(old[kind])} there, {len(here[kind])} here"
    for first, second in zip(old[kind], here[kind], strict=False):
        if first != second:
            yield f"{kind}: {first} there, {second} here"


def _alias(name: str, metrics: Metrics) -> str | None:
    """Return the name under which a metric is reported here, None if it is not."""
    candidates = [name]
    for old, new in _ALIASES.items():
        if name == old or name.endswith(f"_{old}"):
            candidates.append(name.removesuffix(old) + new)
    return next((candidate for candidate in candidates if candidate in metrics), None)


def _metric_difference(old: Metrics, here: Metrics) -> float:
    pairs = ((value, _alias(name, here)) for name, value in old.items())
    return _largest(_relative(value, here[alias]) for value, alias in pairs if alias is not None)


def _largest(values: Iterable[float]) -> float:
    """Return the largest value; NaN if there is one."""
    return float(np.max([*values]))


def _relative(old: float, here: float) -> float:
    """Return the difference relative to the old value, or to 1e-3 if that is smaller."""
    return abs(old - here) / max(abs(old), 1e-3)


def _weight_differences(directory: Path) -> Iterator[float]:
    """Yield, for each array of weights, the norm of the difference relative to its norm."""
    for old, here in _weights(directory, "after"):
        yield float(np.linalg.norm(old - here) / max(np.linalg.norm(old), 1e-3))


def _weights(directory: Path, when: str) -> Iterator[tuple[Any, Any]]:
    """Yield each array of weights of both sides: those ``before`` or ``after`` the training."""
    old, here = np.load(directory / "there.npz"), np.load(directory / "here.npz")
    for name in sorted(name for name in old.files if name.startswith(f"{when}_")):
        yield old[name], here[name]


def _high(array: Any) -> Any:
    return np.percentile(np.abs(array), 95)


def _otherwise_initialized(directory: Path, names: list[str]) -> Iterator[str]:
    """Describe the weights whose own initial values have another distribution on each side.

    Random ones are compared by their deviation and by a high percentile, which tells a uniform
    distribution from a normal one.
    """
    for name, (old, here) in zip(names, _weights(directory, "before"), strict=True):
        is_constant = len(np.unique(old)) <= 2  # the bias of an LSTM has two values
        if not is_constant and old.size < ENOUGH:
            continue
        for measure in (np.mean, np.ptp) if is_constant else (np.std, _high):
            first, second = measure(old), measure(here)
            if abs(first - second) > SPREAD * abs(first):
                yield f"initial values of {name}: {first:.3g} there, {second:.3g} here"
