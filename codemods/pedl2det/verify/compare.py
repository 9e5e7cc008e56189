"""Compare two runs to the last bit: every batch, every report, every weight."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from pedl2det.analysis.metric_names import MetricNames

Lines = list[dict[str, Any]]


_Value = TypeVar("_Value")
#: The groups of an HDF5 checkpoint, in which layers and optimizers are.
_GROUPS = ("model_weights", "optimizer_weights")
#: The number of a layer in the name of a weight or of a metric.
_NUMBER = re.compile(r"_([1-9]\d*)(?=[/:_]|$)")
#: The largest difference of two learning rates that are equal, relative to them.
_RATE_TOLERANCE = 1e-6
#: The variable in which a checkpoint counts the steps of an optimizer.
_STEPS = re.compile(r"(.+)/(?:_iterations|iter)/\.ATTRIBUTES/VARIABLE_VALUE$")


@dataclass(frozen=True)
class Difference:
    """Something in which two runs differ.

    Attributes:
        text: what differs, in words.
        batch: the batch at which it differs; None for weights and counts.
        is_structural: whether a name, count or shape differs, and not a number.
        gap: the difference of the numbers.
        is_learning_rate: whether it is the learning rate that differs.
        is_length: whether it is how long the configs train that differs.
    """

    text: str
    batch: int | None = None
    is_structural: bool = False
    gap: float = 0.0
    is_learning_rate: bool = False
    is_length: bool = False


@dataclass(frozen=True)
class Tensor:
    """An array that both models or their optimizers have.

    Attributes:
        name: its name.
        shape: its shape in the old model.
        is_equal: whether all bytes are equal.
        gap: the largest difference of two numbers; 0.0 if the shapes differ.
    """

    name: str
    shape: tuple[int, ...]
    is_equal: bool
    gap: float = 0.0

    @property
    def layer(self) -> str:
        """The part of its name that names the layer, or the optimizer."""
        group, *inner = self.name.split("/")
        return f"{group}/{inner[0]}" if group in _GROUPS and inner else group


@dataclass(frozen=True)
class Comparison:
    """What was compared, and what differs.

    Attributes:
        batches: training batches compared.
        reports: reports of training and validation compared.
        values: metric values in both.
        tensors: arrays of the model and its optimizer at the end.
        numbers: numbers in these arrays.
        epoch: batches in an epoch, as the old run counted them; 0 if unknown.
        differences: what differs; the first batch first.
        more: metrics that only the new trial reports, as expected.
        weights: the arrays that both have.
    """

    batches: int = 0
    reports: int = 0
    values: int = 0
    tensors: int = 0
    numbers: int = 0
    epoch: int = 0
    differences: tuple[Difference, ...] = ()
    more: tuple[str, ...] = ()
    weights: tuple[Tensor, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Whether something was compared and nothing differs."""
        return not self.differences and self.batches > 0 and self.tensors > 0

    @property
    def largest(self) -> float:
        """The largest difference of two numbers; NaN if one of them is NaN."""
        gaps = [one.gap for one in self.differences]
        return math.nan if any(map(math.isnan, gaps)) else max(gaps, default=0.0)

    @property
    def only_numbers_differ(self) -> bool:
        """Whether no names, counts or shapes differ: random numbers change none of these."""
        return not any(one.is_structural for one in self.differences)

    @property
    def only_length_differs(self) -> bool:
        """Whether all that was compared is equal, and one config trains longer."""
        return bool(self.differences) and all(one.is_length for one in self.differences)

    @property
    def first_batch(self) -> int | None:
        """The first batch at which the runs differ; None if only the end differs."""
        return min((one.batch for one in self.differences if one.batch is not None), default=None)


@dataclass(frozen=True)
class _Run:
    """The records of a run: a line for each batch, and a line for each report."""

    batches: Lines
    reports: Lines


def compare_runs(old: Path, new: Path, names: MetricNames | None = None) -> Comparison:
    """Compare the results of two runs.

    Args:
        old: the results directory of the one.
        new: the results directory of the other.
        names: the new names of the old trial's metrics; None if they are the same.
    """
    from pedl2det_runtime.checkpoint.directory import latest
    from pedl2det_runtime.checkpoint.model_files import read_weights

    one, other = _read(old, names), _read(new, None)
    if not any(line["kind"] == "training" for line in other.reports):  # a plain script
        one = replace(one, reports=[line for line in one.reports if line["kind"] == "validation"])
    layers = counted_from_zero(_metrics_of(one), _metrics_of(other))
    for line in (*one.batches, *one.reports):
        line["metrics"] = renamed(line["metrics"], layers)
    more: list[str] = []
    if names is not None:
        more = sorted(
            {*_separate(one.batches, other.batches)} | {*_separate(one.reports, other.reports)}
        )
    differences = [*_rate_differences(one, other), *_batch_differences(one, other)]
    differences.sort(key=lambda difference: difference.batch or 0)  # each has its first batch
    differences += _report_differences(one, other)
    weights: list[dict[str, npt.NDArray[Any]]] = [{}, {}]
    checkpoints = latest(old / "checkpoints"), latest(new / "checkpoints")
    if checkpoints[0] is None or checkpoints[1] is None:
        differences.append(Difference("a run wrote no checkpoint", is_structural=True))
    else:
        read = [read_weights(path) for path in checkpoints if path is not None]
        weights = [without_unused_optimizers(one) for one in read]
        weights[0] = renamed(weights[0], counted_from_zero(*weights))
        differences += weight_differences(*weights)
    common = [array for name, array in weights[0].items() if name in weights[1]]
    return Comparison(
        batches=min(len(one.batches), len(other.batches)),
        reports=min(len(one.reports), len(other.reports)),
        values=_shared(one.batches, other.batches) + _shared(one.reports, other.reports),
        tensors=len(common),
        numbers=sum(array.size for array in common),
        epoch=_epoch(one.reports),
        differences=tuple(differences),
        more=tuple(more),
        weights=tuple(_tensors(*weights)),
    )


def metric_differences(
    old: dict[str, float], new: dict[str, float], batch: int | None = None
) -> Iterator[Difference]:
    """Return in what two sets of metrics differ; NaN equals NaN."""
    for name in _union(old, new):
        if name not in old or name not in new:
            which = "new" if name in new else "old"
            yield Difference(f"only the {which} trial reports {name}", batch, True)
            continue
        one, other = old[name], new[name]
        if one != other and not (math.isnan(one) and math.isnan(other)):
            text = f"{name} is {one!r} in the old trial, {other!r} in the new one"
            yield Difference(text, batch, gap=abs(one - other))


def weight_differences(
    old: dict[str, npt.NDArray[Any]], new: dict[str, npt.NDArray[Any]]
) -> Iterator[Difference]:
    """Return in what the arrays of two models differ, compared by their bytes."""
    for name in _union(old, new):
        if name not in old or name not in new:
            which = "new" if name in new else "old"
            yield Difference(f"only the {which} model has the weight {name}", is_structural=True)
            continue
        one, other = old[name], new[name]
        if one.shape != other.shape or one.dtype != other.dtype:
            text = (
                f"weight {name} is {one.dtype}{list(one.shape)} in the old model, "
                f"{other.dtype}{list(other.shape)} in the new one"
            )
            yield Difference(text, is_structural=True)
        elif one.tobytes() != other.tobytes():
            gap = _gap(one, other)
            yield Difference(f"weight {name} differs by up to {gap:.3g}", gap=gap)


def _tensors(
    old: dict[str, npt.NDArray[Any]], new: dict[str, npt.NDArray[Any]]
) -> Iterator[Tensor]:
    for name, one in old.items():
        if name not in new:
            continue
        other = new[name]
        if one.shape != other.shape or one.dtype != other.dtype:
            yield Tensor(name, one.shape, is_equal=False)
        else:
            is_equal = one.tobytes() == other.tobytes()
            yield Tensor(name, one.shape, is_equal, 0.0 if is_equal else _gap(one, other))


def _gap(old: npt.NDArray[Any], new: npt.NDArray[Any]) -> float:
    return float(np.max(np.abs(old.astype(np.float64) - new.astype(np.float64))))


def counted_from_zero(old: Iterable[str], new: Iterable[str]) -> dict[str, str]:
    """Return the new names of an old model's numbered layers, by their old names.

    Standalone Keras named layers ``dense_1`` and ``dense_2``; they are ``dense`` and ``dense_1``
    today. Only names that are then those of the new model are returned.
    """
    groups: dict[str, tuple[set[str], set[str]]] = {}
    for place, names in enumerate((old, new)):
        for name in names:
            groups.setdefault(_NUMBER.sub("", name), (set(), set()))[place].add(name)
    found: dict[str, str] = {}
    for before, after in groups.values():
        shifted = {name: _NUMBER.sub(_one_less, name) for name in before}
        if before != after and {*shifted.values()} == after:
            found |= shifted
    return found


def _one_less(number: re.Match[str]) -> str:
    return "" if number[1] == "1" else f"_{int(number[1]) - 1}"


def renamed(values: dict[str, _Value], names: dict[str, str]) -> dict[str, _Value]:
    """Return a dict with some of its keys renamed."""
    return {names.get(name, name): value for name, value in values.items()}


def without_unused_optimizers(
    weights: dict[str, npt.NDArray[Any]],
) -> dict[str, npt.NDArray[Any]]:
    """Drop the state of optimizers that have not made a step, such as the default of ``compile``.

    Optimizers of today have variables before their first step, and those of before 2.11 have none.
    """
    unused = [
        match[1]
        for name, array in weights.items()
        if (match := _STEPS.match(name)) is not None and not array.any()
    ]
    return {
        name: array
        for name, array in weights.items()
        if not any(name.startswith(f"{one}/") or f"_SLOT/{one}/" in name for one in unused)
    }


def _read(run: Path, names: MetricNames | None) -> _Run:
    """Read the records of a run, with the metrics renamed."""
    batches, reports = (_lines(run / name) for name in ("batches.jsonl", "metrics.jsonl"))
    if names is not None:
        for line in (*batches, *reports):
            new = names.of(line.get("kind", "training"))
            line["metrics"] = {new.get(name, name): v for name, v in line["metrics"].items()}
    return _Run(batches, reports)


def _metrics_of(run: _Run) -> set[str]:
    return {name for line in (*run.batches, *run.reports) for name in line["metrics"]}


def _lines(path: Path) -> Lines:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _separate(old: Lines, new: Lines) -> Iterator[str]:
    """Remove from the new records the metrics that only they have, and name these."""
    for one, other in zip(old, new, strict=False):
        for name in other["metrics"].keys() - one["metrics"].keys():
            del other["metrics"][name]
            yield f"{name} ({other.get('kind', 'training')})"


def _batch_differences(old: _Run, new: _Run) -> Iterator[Difference]:
    """The differences of the first batch that differs, as one; then that of the counts."""
    differing = [
        found
        for one, other in zip(old.batches, new.batches, strict=False)
        if (found := list(metric_differences(one["metrics"], other["metrics"], one["batch"])))
    ]
    if differing:
        first = differing[0]
        text = "; ".join(one.text for one in first)
        count = min(len(old.batches), len(new.batches))
        yield Difference(
            f"first at batch {first[0].batch:,}: {text} "
            f"({len(differing):,} of {count:,} batches differ)",
            first[0].batch,
            any(one.is_structural for one in first),
            max(one.gap for found in differing for one in found),
        )
    if len(old.batches) != len(new.batches):
        text = f"old trained {len(old.batches):,} batches, new {len(new.batches):,}"
        yield Difference(text, min(len(old.batches), len(new.batches)) + 1, True)


def _rate_differences(old: _Run, new: _Run) -> Iterator[Difference]:
    """The first batch whose learning rate differs, as one difference.

    Rates of schedules are computed anew to be written, so their last bits may differ.
    """
    differing = []
    pairs = list(zip(old.batches, new.batches, strict=False))
    for one, other in pairs:
        for name, before, after in _common_rates(one, other):
            if not math.isclose(before, after, rel_tol=_RATE_TOLERANCE):
                differing.append((one["batch"], name, before, after))
    if not differing:
        return
    batch, name, before, after = differing[0]
    count = len({found for found, *_ in differing})
    yield Difference(
        f"learning rate{name}: batch {batch:,}: {before:.7g} in the old trial, {after:.7g} in the "
        f"new ({count:,} of {len(pairs):,} batches differ)",
        batch,
        gap=max(abs(before - after) for *_, before, after in differing),
        is_learning_rate=True,
    )


def _common_rates(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, float, float]]:
    """The learning rates that both trials have of a batch, with the name of the optimizer."""
    rates = [line.get("learning_rates", {}) for line in (old, new)]
    if len(rates[0]) == len(rates[1]) == 1:
        yield ("", *rates[0].values(), *rates[1].values())
        return
    for name in rates[0]:
        if name in rates[1]:
            yield f" of {name}", rates[0][name], rates[1][name]


def _report_differences(old: _Run, new: _Run) -> Iterator[Difference]:
    """The first difference between the reports of two runs, or that of their counts."""
    for one, other in zip(old.reports, new.reports, strict=False):
        kind, batch = one["kind"], one["batches"]
        if (kind, batch) != (other["kind"], other["batches"]):
            yield Difference(
                f"old reports {kind} at batch {batch}, "
                f"new reports {other['kind']} at batch {other['batches']}",
                min(batch, other["batches"]),
                True,
            )
            return
        for found in metric_differences(one["metrics"], other["metrics"], batch):
            text = f"{kind} report at batch {batch}: {found.text}"
            yield Difference(text, batch, found.is_structural, found.gap)
            return
    if len(old.reports) != len(new.reports):
        text = f"old wrote {len(old.reports)} reports, new {len(new.reports)}"
        yield Difference(text, is_structural=True)


def _shared(old: Lines, new: Lines) -> int:
    """Count the metric values that both runs have."""
    pairs = zip(old, new, strict=False)
    return sum(len(one["metrics"].keys() & other["metrics"].keys()) for one, other in pairs)


def _epoch(reports: Lines) -> int:
    """The batches in an epoch: reports count both."""
    return next((round(one["batches"] / one["epochs"]) for one in reports if one.get("epochs")), 0)


def _union(old: Iterable[str], new: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*old, *new]))
