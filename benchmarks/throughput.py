"""Batches a second, by every way of training.

Determined 0.38.1 trains with its own controller, without a cluster. ``fit`` is Keras' own, with one
batch or 100 batches an execution; ``raw`` is a loop over ``train_step`` in one ``tf.function``.
Compilation and the first period are not counted.
"""

from __future__ import annotations

from functools import partial

from comparison import Comparison, in_turns
from ways import rate

#: Marks of the clock, and the least ratios to Determined and to ``fit`` with 100 batches.
CASES = {
    "iris-tuple": (21, 5.0, 0.95),
    "iris-sequence": (21, 3.0, 0.95),
    "iris-dataset": (21, 4.5, 0.95),
    "digits-tuple": (11, 2.0, 0.95),
    "digits-sequence": (11, 1.8, 0.95),
    "digits-dataset": (11, 2.0, 0.95),
    "digits-saved": (11, 1.5, None),
    "cnn-tuple": (5, 1.0, None),
}
WAYS = ("determined", "pedl2det", "fit", "fit-100", "raw")


def measure(rounds: int) -> list[Comparison]:
    """Measure all cases."""
    rows = []
    for case, (marks, of_determined, of_fit) in CASES.items():
        found = in_turns({way: partial(rate, case, way, marks) for way in WAYS}, rounds)
        targets = {"determined": of_determined, "fit": None, "fit-100": of_fit, "raw": None}
        rows += [
            Comparison(case, found["pedl2det"], way, found[way], "batches/s", target)
            for way, target in targets.items()
        ]
    return rows
