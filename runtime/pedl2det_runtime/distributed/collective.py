"""What processes do together: who gives, who gets, and whether all ask for the same. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Collective(StrEnum):
    """One method of ``DistributedContext``. Member 0 of a group is its chief."""

    GATHER = "gather"
    GATHER_LOCAL = "gather_local"
    ALLGATHER = "allgather"
    ALLGATHER_LOCAL = "allgather_local"
    BROADCAST = "broadcast"
    BROADCAST_LOCAL = "broadcast_local"

    @property
    def is_broadcast(self) -> bool:
        """Whether only the chief gives."""
        return self in (Collective.BROADCAST, Collective.BROADCAST_LOCAL)

    @property
    def is_gather(self) -> bool:
        """Whether only the chief gets."""
        return self in (Collective.GATHER, Collective.GATHER_LOCAL)

    def gives(self, member: int) -> bool:
        """Whether a member gives something."""
        return member == 0 or not self.is_broadcast

    def gets(self, member: int) -> bool:
        """Whether a member gets what the others give."""
        return member == 0 or not self.is_gather


@dataclass(frozen=True)
class Step:
    """What a member asks for.

    Attributes:
        number: the how many-th collective of its group this is.
        collective: which.
    """

    number: int
    collective: str

    def __str__(self) -> str:
        return f"{self.collective}() as collective number {self.number}"


def disorder(steps: Mapping[int, Step]) -> str | None:
    """What is wrong with the steps of several members, or None if they are the same."""
    first = min(steps)
    for member, step in steps.items():
        if step != steps[first]:
            return (
                f"the processes do not ask for the same: process {first} called {steps[first]}, "
                f"process {member} called {step}; every process must call the same methods in the "
                "same order"
            )
    return None
