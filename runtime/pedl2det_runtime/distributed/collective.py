"""The collectives: which members send, which receive, and whether all called the same one."""

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
        """Whether only the chief sends."""
        return self in (Collective.BROADCAST, Collective.BROADCAST_LOCAL)

    def gives(self, member: int) -> bool:
        """Whether a member sends an object."""
        return member == 0 or not self.is_broadcast

    def gets(self, member: int) -> bool:
        """Whether a member receives the objects of the others."""
        return member == 0 or self not in (Collective.GATHER, Collective.GATHER_LOCAL)


@dataclass(frozen=True)
class Step:
    """One call of a collective by one member: the how many-th of its group, and which method."""

    number: int
    collective: str

    def __str__(self) -> str:
        return f"{self.collective}() as collective number {self.number}"


def disorder(steps: Mapping[int, Step]) -> str | None:
    """Describe how the members' calls differ; None if they are the same."""
    first = min(steps)
    for member, step in steps.items():
        if step != steps[first]:
            return (
                f"the processes do not ask for the same: process {first} called {steps[first]}, "
                f"process {member} called {step}; every process must call the same methods in the "
                "same order"
            )
    return None
