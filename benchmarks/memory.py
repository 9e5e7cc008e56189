"""The most memory of a run with validations and checkpoints."""

from __future__ import annotations

from comparison import Comparison, in_turns
from ways import trained

CASE, MARKS = "digits-saved", 5


def measure(rounds: int) -> list[Comparison]:
    """Measure the peak of the resident memory."""
    ways = ("pedl2det", "determined", "fit")
    found = in_turns(
        {way: lambda way=way: trained(CASE, way, MARKS).megabytes for way in ways}, rounds
    )
    return [Comparison(CASE, found["pedl2det"], way, found[way], "MB", -1.1) for way in ways[1:]]
