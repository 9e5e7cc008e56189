"""The comparison of two runs: batch by batch, report by report, weight by weight, to the bit."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pedl2det.engine.result import MetricNames


@dataclass
class Comparison:
    """What was compared, and what differs.

    Attributes:
        batches: training batches compared.
        reports: reports compared, of training and of validation.
        values: metric values in both of these.
        tensors: arrays of the model and its optimizer at the end.
        numbers: numbers in these arrays.
        largest: the largest difference of any two numbers.
        differences: what differs, in words; the first batch first.
        more: metrics that the new trial reports beside those of the old one, as it should.
    """

    batches: int = 0
    reports: int = 0
    values: int = 0
    tensors: int = 0
    numbers: int = 0
    largest: float = 0.0
    differences: list[str] = field(default_factory=list)
    more: list[str] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Whether something was compared and nothing differs."""
        return not self.differences and self.batches > 0 and self.tensors > 0


def compare_runs(old: Path, new: Path, names: MetricNames | None = None) -> Comparison:
    """Compare the results of two runs.

    Args:
        old: the results directory of the one.
        new: that of the other.
        names: what the new trial calls the old one's metrics; None if it reports the same.
    """
    from pedl2det_runtime.checkpoint import latest
    from pedl2det_runtime.model_files import read_weights

    comparison = Comparison()
    batches, reports = (
        (_named(old / name, names), _lines(new / name))
        for name in ("batches.jsonl", "metrics.jsonl")
    )
    if names is not None:
        for one, other in (batches, reports):
            _set_apart(comparison, one, other)
    _compare_batches(comparison, *batches)
    _compare_reports(comparison, *reports)
    checkpoints = latest(old / "checkpoints"), latest(new / "checkpoints")
    if checkpoints[0] is None or checkpoints[1] is None:
        comparison.differences.append("a run wrote no checkpoint")
    else:
        _compare_weights(comparison, read_weights(checkpoints[0]), read_weights(checkpoints[1]))
    return comparison


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _named(path: Path, names: MetricNames | None) -> list[dict[str, Any]]:
    """The lines of an old run, with the names that the new one has for the metrics."""
    lines = _lines(path)
    if names is None:
        return lines
    for line in lines:
        new = names.of(line.get("kind", "training"))
        line["metrics"] = {new.get(name, name): line["metrics"][name] for name in line["metrics"]}
    return lines


def _set_apart(
    comparison: Comparison, old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> None:
    """Take out of the new lines what they hold beside the metrics of the old ones."""
    for one, other in zip(old, new, strict=False):
        for name in other["metrics"].keys() - one["metrics"].keys():
            del other["metrics"][name]
            said = f"{name} ({other.get('kind', 'training')})"
            if said not in comparison.more:
                comparison.more.append(said)
    comparison.more.sort()


def _compare_batches(
    comparison: Comparison, old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> None:
    comparison.batches = min(len(old), len(new))
    differing = []
    for one, other in zip(old, new, strict=False):
        found = list(_metric_differences(comparison, one["metrics"], other["metrics"]))
        if found:
            differing.append((one["batch"], found))
    if differing:
        batch, found = differing[0]
        more = f" ({len(differing)} of {comparison.batches} batches differ)"
        comparison.differences.append(f"first at batch {batch}: {'; '.join(found)}{more}")
    if len(old) != len(new):
        comparison.differences.append(f"old trained {len(old)} batches, new {len(new)}")


def _compare_reports(
    comparison: Comparison, old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> None:
    comparison.reports = min(len(old), len(new))
    for one, other in zip(old, new, strict=False):
        place = (one["kind"], one["batches"])
        if place != (other["kind"], other["batches"]):
            comparison.differences.append(
                f"old reports {place[0]} at batch {place[1]}, "
                f"new reports {other['kind']} at batch {other['batches']}"
            )
            return
        found = list(_metric_differences(comparison, one["metrics"], other["metrics"]))
        if found:
            comparison.differences.append(f"{place[0]} report at batch {place[1]}: {found[0]}")
            return
    if len(old) != len(new):
        comparison.differences.append(f"old wrote {len(old)} reports, new {len(new)}")


def _metric_differences(
    comparison: Comparison, old: dict[str, float], new: dict[str, float]
) -> Iterator[str]:
    for name in _union(old, new):
        if name not in old or name not in new:
            yield f"{name} is reported by the {'new' if name in new else 'old'} trial alone"
            continue
        comparison.values += 1
        one, other = old[name], new[name]
        if one == other or (math.isnan(one) and math.isnan(other)):
            continue
        comparison.largest = _larger(comparison.largest, abs(one - other))
        yield f"{name} is {one!r} in the old trial, {other!r} in the new one"


def _compare_weights(
    comparison: Comparison, old: dict[str, npt.NDArray[Any]], new: dict[str, npt.NDArray[Any]]
) -> None:
    for name in _union(old, new):
        if name not in old or name not in new:
            where = "new" if name in new else "old"
            comparison.differences.append(f"weight {name} is in the {where} model alone")
            continue
        one, other = old[name], new[name]
        comparison.tensors += 1
        comparison.numbers += one.size
        if one.shape != other.shape or one.dtype != other.dtype:
            comparison.differences.append(
                f"weight {name} is {one.dtype}{list(one.shape)} in the old model, "
                f"{other.dtype}{list(other.shape)} in the new one"
            )
        elif one.tobytes() != other.tobytes():
            gap = float(np.max(np.abs(one.astype(np.float64) - other.astype(np.float64))))
            comparison.largest = _larger(comparison.largest, gap)
            comparison.differences.append(f"weight {name} differs by up to {gap:.3g}")


def _union(old: Iterable[str], new: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*old, *new]))


def _larger(one: float, other: float) -> float:
    return other if math.isnan(other) else max(one, other)
