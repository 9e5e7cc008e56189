"""The interface of a group of processes, and the group of a single process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pedl2det_runtime.distributed.collective import Collective


class Group(Protocol):
    """Processes that exchange objects; this process is a member."""

    def exchange(self, collective: Collective, stuff: Any) -> list[Any]:
        """Take part in a collective; return when all members have.

        Args:
            collective: the method; every member must call the same one.
            stuff: the object of this member.

        Returns:
            The objects of all members; None for those that this member does not receive.

        Raises:
            DistributedError: not all members took part.
        """


@dataclass(frozen=True)
class Groups:
    """The groups of one process.

    Attributes:
        everywhere: all processes.
        machine: the processes of this machine.
        close: leaves the groups; called once.
    """

    everywhere: Group
    machine: Group
    close: Callable[[], None]


class Alone:
    """A group of one process."""

    def exchange(self, collective: Collective, stuff: Any) -> list[Any]:
        """Return the object of this process."""
        return [stuff]


def alone() -> Groups:
    """Return the groups of a process that trains alone."""
    return Groups(Alone(), Alone(), close=lambda: None)
