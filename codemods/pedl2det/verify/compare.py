"""Compare two runs to the last bit: every batch, every report, every weight."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pedl2det.analysis.metric_names import MetricNames, is_renamed

Line = dict[str, Any]
Lines = list[Line]
Arrays = dict[str, npt.NDArray[Any]]

#: The number of a layer in the name of a weight or of a metric.
_NUMBER = re.compile(r"_([1-9]\d*)(?=[/:_]|$)")
#: The largest relative difference of equal learning rates: schedules compute them again.
_RATE_TOLERANCE = 1e-6
#: The variable in which a checkpoint counts the steps of an optimizer.
_STEPS = re.compile(r"(.+)/(?:_iterations|iter)/\.ATTRIBUTES/VARIABLE_VALUE$")


@dataclass(frozen=True)
class Difference:
    """Something in which two runs differ."""

    text: str  # what differs, in words
    batch: int | None = None  # the batch at which it differs; None for weights and counts
    is_structural: bool = False  # whether a name, count or shape differs, and not a number
    gap: float = 0.0  # the difference of the numbers
    is_length: bool = False  # whether it is how long the configs train


@dataclass(frozen=True)
class Comparison:
    """What was compared, and what differs."""

    batches: int = 0  # training batches compared
    reports: int = 0  # reports of training and validation compared
    values: int = 0  # metric values in both
    epoch: int = 0  # batches in an epoch, as the old run counted them; 0 if unknown
    differences: tuple[Difference, ...] = ()  # the first batch first
    more: tuple[str, ...] = ()  # metrics that only the new trial reports, as expected
    weights: int = 0  # arrays of model and optimizer that both have
    numbers: int = 0  # in these arrays

    @property
    def is_equal(self) -> bool:
        """Whether something was compared and nothing differs."""
        return not self.differences and self.batches > 0 and self.weights > 0

    @property
    def largest(self) -> float:
        """The largest difference of two numbers; NaN if one of them is NaN."""
        gaps = [difference.gap for difference in self.differences]
        return math.nan if any(map(math.isnan, gaps)) else max(gaps, default=0.0)

    @property
    def only_numbers_differ(self) -> bool:
        """Whether no names, counts or shapes differ: random numbers change none of these."""
        return not any(difference.is_structural for difference in self.differences)

    @property
    def only_length_differs(self) -> bool:
        """Whether all that was compared is equal, and one config trains longer."""
        are_lengths = [difference.is_length for difference in self.differences]
        return bool(are_lengths) and all(are_lengths)

    @property
    def first_batch(self) -> int | None:
        """The first batch at which the runs differ; None if only the end differs."""
        batches = [difference.batch for difference in self.differences]
        return min((batch for batch in batches if batch is not None), default=None)

    @property
    def described(self) -> str:
        """What was compared, in words."""
        return (
            f"{self.batches:,} batches and {self.reports:,} reports ({self.values:,} metric "
            f"values), {self.weights:,} weight tensors ({self.numbers:,} numbers)"
        )


def compare_runs(old: Path, new: Path, names: MetricNames | None = None) -> Comparison:
    """Compare the results directories of two runs, by the new names of the old one's metrics."""
    from pedl2det_runtime.checkpoint.directory import latest
    from pedl2det_runtime.checkpoint.model_files import read_weights

    (batches, new_batches), (reports, new_reports) = (
        (read_lines(old / name, names), read_lines(new / name))
        for name in ("batches.jsonl", "metrics.jsonl")
    )
    if not any(line["kind"] == "training" for line in new_reports):  # a plain script
        reports = [line for line in reports if line["kind"] == "validation"]
    layers = counted_from_zero(
        *(
            {name for line in lines for name in line["metrics"]}
            for lines in ([*batches, *reports], [*new_batches, *new_reports])
        )
    )
    for line in (*batches, *reports):
        line["metrics"] = {layers.get(name, name): value for name, value in line["metrics"].items()}
    pairs = [*zip(batches, new_batches, strict=False)]
    report_pairs = [*zip(reports, new_reports, strict=False)]
    more = _drop_new_metrics([*pairs, *report_pairs], names is not None)
    differences = [
        *_at_first_batch(pairs, _rate_differences),
        *_at_first_batch(
            pairs, lambda old, new: metric_differences(old["metrics"], new["metrics"], old["batch"])
        ),
    ]
    if len(batches) != len(new_batches):
        text = f"old trained {len(batches):,} batches, new {len(new_batches):,}"
        differences.append(Difference(text, len(pairs) + 1, is_structural=True))
    differences.sort(key=lambda difference: difference.batch or 0)  # each has its first batch
    differences += islice(_report_differences(reports, new_reports), 1)
    sizes: list[int] = []
    checkpoints = latest(old / "checkpoints"), latest(new / "checkpoints")
    if checkpoints[0] is None or checkpoints[1] is None:
        differences.append(Difference("a run wrote no checkpoint", is_structural=True))
    else:
        old_weights = without_unused_optimizers(read_weights(checkpoints[0]))
        new_weights = without_unused_optimizers(read_weights(checkpoints[1]))
        now = {name: as_wrapped(name) for name in old_weights}
        now |= counted_from_zero(old_weights, new_weights)
        old_weights = {now[name]: array for name, array in old_weights.items()}
        sizes = [array.size for name, array in old_weights.items() if name in new_weights]
        text = "only the {} model has the weight {}"
        differences += _separate_names(old_weights, new_weights, text)
        differences += compare_tensors(old_weights, new_weights)
    in_epochs = (line for line in reports if line.get("epochs"))
    return Comparison(
        batches=len(pairs),
        reports=len(report_pairs),
        values=sum(
            len(old_line["metrics"].keys() & new_line["metrics"].keys())
            for old_line, new_line in (*pairs, *report_pairs)
        ),
        epoch=next((round(line["batches"] / line["epochs"]) for line in in_epochs), 0),
        differences=tuple(differences),
        more=tuple(sorted(more)),
        weights=len(sizes),
        numbers=sum(sizes),
    )


def read_lines(path: Path, names: MetricNames | None = None) -> Lines:
    """Read the records of a run, with the metrics renamed."""
    lines: Lines = [json.loads(line) for line in path.read_text().splitlines()]
    if names is not None:
        for line in lines:
            kind, metrics = line.get("kind", "training"), line["metrics"]
            line["metrics"] = {names.new(kind, name): value for name, value in metrics.items()}
    return lines


def metric_differences(
    old: dict[str, float], new: dict[str, float], batch: int | None = None
) -> Iterator[Difference]:
    """Yield the differences between two sets of metrics; NaN equals NaN."""
    yield from _separate_names(old, new, "only the {} trial reports {}", batch)
    for name, before in old.items():
        after = new.get(name, before)
        if before != after and not (math.isnan(before) and math.isnan(after)):
            text = f"{name} is {before!r} in the old trial, {after!r} in the new one"
            yield Difference(text, batch, gap=abs(before - after))


def _separate_names(
    old: Mapping[str, Any], new: Mapping[str, Any], text: str, batch: int | None = None
) -> Iterator[Difference]:
    """The names that only one of two runs has; the text has places for which and for the name."""
    for which, own, others in (("old", old, new), ("new", new, old)):
        for name in own:
            if name not in others:
                yield Difference(text.format(which, name), batch, is_structural=True)


def compare_tensors(old: Arrays, new: Arrays) -> Iterator[Difference]:
    """Compare the arrays that both models have, by their bytes."""
    for name, before in old.items():
        after = new.get(name, before)
        if before.shape != after.shape or before.dtype != after.dtype:
            text = (
                f"weight {name} is {before.dtype}{list(before.shape)} in the old model, "
                f"{after.dtype}{list(after.shape)} in the new one"
            )
            yield Difference(text, is_structural=True)
        elif before.tobytes() != after.tobytes():
            gap = float(np.max(np.abs(before.astype(np.float64) - after.astype(np.float64))))
            yield Difference(f"weight {name} differs by up to {gap:.3g}", gap=gap)


def counted_from_zero(old: Iterable[str], new: Iterable[str]) -> dict[str, str]:
    """Return the new names of an old model's numbered layers, by their old names.

    Standalone Keras named layers ``dense_1`` and ``dense_2``; they are ``dense`` and ``dense_1``
    today. Only names that are then those of the new model are returned.
    """
    groups: dict[str, tuple[set[str], set[str]]] = {}
    for place, names in enumerate((old, new)):
        for name in names:
            groups.setdefault(_NUMBER.sub("", name), (set(), set()))[place].add(name)
    new_names: dict[str, str] = {}
    for before, after in groups.values():
        shifted = {
            name: _NUMBER.sub(lambda match: f"_{int(match[1]) - 1}".removesuffix("_0"), name)
            for name in before
        }
        if before != after and {*shifted.values()} == after:
            new_names |= shifted
    return new_names


def as_wrapped(name: str) -> str:
    """Return the name that a slot of a TensorFlow 1 optimizer has once that is wrapped."""
    return name.replace("_SLOT/optimizer/optimizer/", "_SLOT/wrapped_optimizer_0/")


def without_unused_optimizers(weights: Arrays) -> Arrays:
    """Drop the state of optimizers that have made no step, such as the default of ``compile``."""
    # Today's have variables before their first step; those before Keras 2.11 had none.
    steps = {match[1]: array for name, array in weights.items() if (match := _STEPS.match(name))}
    unused = [name for name, array in steps.items() if not array.any()]
    return {
        name: array
        for name, array in weights.items()
        if not any(name.startswith(f"{prefix}/") or f"_SLOT/{prefix}/" in name for prefix in unused)
    }


_Pairs = list[tuple[Line, Line]]


def _drop_new_metrics(pairs: _Pairs, may_be_other: bool) -> set[str]:
    """Remove the metrics that only the new records have, or only new names; return them."""
    dropped = set()
    for old_line, new_line in pairs:
        for name in new_line["metrics"].keys() - old_line["metrics"].keys():
            if not (may_be_other or any(is_renamed(name, old) for old in old_line["metrics"])):
                continue
            del new_line["metrics"][name]
            dropped.add(f"{name} ({new_line.get('kind', 'training')})")
    return dropped


def _at_first_batch(
    pairs: _Pairs, differences_of: Callable[[Line, Line], Iterable[Difference]]
) -> Iterator[Difference]:
    """The differences of the first batch that differs, as one."""
    every = [found for old, new in pairs if (found := [*differences_of(old, new)])]
    if every:
        first = every[0][0]
        text = "; ".join(difference.text for difference in every[0])
        count = f"{len(every):,} of {len(pairs):,} batches differ"
        yield replace(
            first,
            text=f"first at batch {first.batch:,}: {text} ({count})",
            is_structural=any(difference.is_structural for difference in every[0]),
            gap=max(difference.gap for differences in every for difference in differences),
        )


def _rate_differences(old: Line, new: Line) -> Iterator[Difference]:
    """The learning rates that differ, of one optimizer each or by the names of optimizers."""
    rates = [line.get("learning_rates", {}) for line in (old, new)]
    if len(rates[0]) == len(rates[1]) == 1:
        rates = [{"": rate} for by_name in rates for rate in by_name.values()]
    for name, before in rates[0].items():
        after = rates[1].get(name, before)
        if not math.isclose(before, after, rel_tol=_RATE_TOLERANCE):
            title = f"learning rate of {name}" if name else "learning rate"
            text = f"{title} is {before:.7g} in the old trial, {after:.7g} in the new one"
            yield Difference(text, old["batch"], gap=abs(before - after))


def _report_differences(old: Lines, new: Lines) -> Iterator[Difference]:
    for old_report, new_report in zip(old, new, strict=False):
        kind, batch = old_report["kind"], old_report["batches"]
        if (kind, batch) != (new_report["kind"], new_report["batches"]):
            yield Difference(
                f"old reports {kind} at batch {batch}, "
                f"new reports {new_report['kind']} at batch {new_report['batches']}",
                min(batch, new_report["batches"]),
                True,
            )
        for difference in metric_differences(old_report["metrics"], new_report["metrics"], batch):
            text = f"{kind} report at batch {batch}: {difference.text}"
            yield replace(difference, text=text)
    if len(old) != len(new):
        text = f"old wrote {len(old)} reports, new {len(new)}"
        yield Difference(text, is_structural=True)
