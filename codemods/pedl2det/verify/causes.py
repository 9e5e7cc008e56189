"""What may make two trainings differ: where they part, and what keeps one from repeating."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pedl2det.analysis.reader import Reader
from pedl2det.analysis.source import Source
from pedl2det.findings import Finding
from pedl2det.verify.compare import Comparison
from pedl2det.visible import shown

_UNSEEDED = "draws random numbers that no seed determines"
_WORKERS = "loads batches with several workers: their random draws come in any order"
_UNORDERED = "lets a dataset deliver its elements in any order"
#: Functions that repeat if they are given a seed.
_SEEDABLE = {
    *("numpy.random.default_rng", "numpy.random.RandomState", "numpy.random.seed"),
    *("numpy.random.SeedSequence", "random.Random", "random.seed"),
}
_UNREPEATABLE = {
    _UNSEEDED: (
        *("os.urandom", "random.SystemRandom", "uuid.uuid1", "uuid.uuid4"),
        *("secrets.randbelow", "secrets.token_bytes", "secrets.choice"),
    ),
    "reads the clock": (
        *("time.time", "time.time_ns", "time.perf_counter"),
        *("datetime.datetime.now", "datetime.datetime.utcnow"),
    ),
    "lists files in the order of the file system": (
        *("os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob"),
    ),
    "starts threads or processes, whose order is not determined": (
        *("threading.Thread", "concurrent.futures.ThreadPoolExecutor"),
        *("multiprocessing.Pool", "multiprocessing.Process"),
    ),
}
_REASONS = {name: reason for reason, names in _UNREPEATABLE.items() for name in names}
_HARMLESS_AROUND = ("sorted", "len", "set")
#: Keywords, their values that keep the order, and what others do.
_KEYWORDS = {
    "use_multiprocessing": ((False, None), _WORKERS),
    "workers": ((0, 1), _WORKERS),
    "deterministic": ((True, None), _UNORDERED),
    "sloppy": ((False, None), _UNORDERED),
}
_SHOWN_REASONS = 5


def likely_causes(comparison: Comparison, known: Sequence[Finding]) -> tuple[str, ...]:
    """Return the likely causes of a difference, the likeliest first.

    Args:
        comparison: what differs.
        known: the places of which migrate says that they train differently.
    """
    rest = tuple(one for one in comparison.differences if not one.is_length)
    if not rest:
        return ()
    places = (f"{shown(one.path)}:{one.place}: {one.message}" for one in known)
    return (
        *(f"A known difference: {place}" for place in places),
        _cause_by_place(replace(comparison, differences=rest)),
    )


def _cause_by_place(comparison: Comparison) -> str:
    """The likely cause of a difference by where the runs part."""
    batch, epoch = comparison.first_batch, comparison.epoch
    if not comparison.only_numbers_differ:
        return "Names, shapes or counts differ: the trials do not build or report the same."
    if any(one.is_learning_rate for one in comparison.differences[:1]):
        return (
            "The learning rate is the first to differ: look at what sets it, such as an argument "
            "of the optimizer, a schedule or a callback."
        )
    if batch is None:
        return (
            "All metrics are equal and weights differ: a part of the model that no metric depends "
            "on, or a step after the last batch."
        )
    if batch == 1:
        return (
            "The first batch differs: other initial weights, other data or another order of them, "
            "or another loss."
        )
    if batch == 2:
        return (
            "Batch 1 is equal, so weights and data begin alike, and its step is not: the optimizer "
            "and its settings, the gradients, or the data from batch 2 on."
        )
    if epoch and (batch - 1) % epoch == 0:
        return (
            f"All is equal up to the end of epoch {(batch - 1) // epoch}: the order of the next "
            "epoch, or what a callback does at its end."
        )
    return (
        f"Batches 1 to {batch - 1} are equal: weights and data begin alike. Look at what depends "
        "on the batch: a schedule, random numbers drawn on the way, or a callback."
    )


def likely_reasons(files: Iterable[Path], home: Path) -> tuple[str, ...]:
    """Return places in the files of a trial that may keep it from repeating itself.

    Args:
        files: the files of the trial.
        home: its directory; places are relative to it.
    """
    reader = Reader()
    found = []
    for path in sorted(files):
        source = reader.source_or_none(path)
        if source is None:
            continue
        name = path.relative_to(home) if path.is_relative_to(home) else path
        for node, reason in _places(source):
            code = " ".join(source.segment(node).split())
            found.append(f"{name}:{node.lineno}: {reason}: {code}")
    found = list(dict.fromkeys(found))
    more = len(found) - _SHOWN_REASONS
    return (*found[:_SHOWN_REASONS], *((f"and {more} more places",) if more > 0 else ()))


def _places(source: Source) -> Iterator[tuple[ast.Call, str]]:
    calls = [node for node in source.names.of(ast.Call) if isinstance(node, ast.Call)]
    for node in sorted(calls, key=lambda call: call.lineno):
        name = source.names.qualified(node.func) or ""
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if name in _SEEDABLE and all(_is_constant(value, (None,)) for value in arguments):
            yield node, _UNSEEDED
        elif name in _REASONS and not _is_harmless(source.names.parents.get(node)):
            yield node, _REASONS[name]
        for keyword in node.keywords:
            harmless, reason = _KEYWORDS.get(keyword.arg or "", ((), ""))
            # Workers that are not known may be several; an order is free only where code says so.
            is_known = reason != _UNORDERED or isinstance(keyword.value, ast.Constant)
            if reason and is_known and not _is_constant(keyword.value, harmless):
                yield node, reason


def _is_constant(node: ast.expr, values: tuple[object, ...]) -> bool:
    return isinstance(node, ast.Constant) and node.value in values


def _is_harmless(parent: ast.AST | None) -> bool:
    """Whether the result of a call is only sorted or counted."""
    match parent:
        case ast.Call(func=ast.Name(id=name)):
            return name in _HARMLESS_AROUND
    return False
