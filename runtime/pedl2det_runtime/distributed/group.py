"""What every way of talking between processes can do, and the one of a process alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pedl2det_runtime.distributed.collective import Collective


class Group(Protocol):
    """Some processes that talk to each other; this one is a member."""

    def exchange(self, collective: Collective, stuff: Any) -> list[Any]:
        """Take part in a collective, until all have.

        Args:
            collective: which; every member must ask for the same.
            stuff: what this member gives.

        Returns:
            What each member gave; None for what this one does not get.

        Raises:
            DistributedError: not all took part.
        """


@dataclass(frozen=True)
class Groups:
    """The groups of one process, and how they end.

    Attributes:
        everywhere: all processes.
        machine: those of this machine.
        close: leaves them; called once.
    """

    everywhere: Group
    machine: Group
    close: Callable[[], None]


class Alone:
    """A group of one process."""

    def exchange(self, collective: Collective, stuff: Any) -> list[Any]:
        """What this process gives."""
        return [stuff]


def alone() -> Groups:
    """The groups of a process that trains by itself."""
    return Groups(Alone(), Alone(), close=lambda: None)
