"""What the hub of a group knows: who came, who gave what, who left. Pure."""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.distributed.collective import Step, disorder
from pedl2det_runtime.errors import DistributedError


class Rounds:
    """One round of a group after the other.

    Args:
        size: how many members it has.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.members: dict[int, bytes] = {}
        self.layouts: dict[int, Any] = {}
        self.steps: dict[int, Step] = {}
        self.gifts: dict[int, list[Any]] = {}
        self._left: set[int] = set()

    def come(self, member: int, size: int, identity: bytes, layout: Any) -> bool:
        """A member is there.

        Returns:
            Whether all are.

        Raises:
            DistributedError: it cannot be one of this group.
        """
        if size != self.size:
            raise DistributedError(
                f"process {member} says that it is one of {size}, the chief knows of {self.size}"
            )
        if not 0 <= member < self.size or member in self.members:
            raise DistributedError(
                f"two processes say that they are number {member} of {self.size}; is another run "
                "using the same ports? Then give it another port_offset"
            )
        self.members[member] = identity
        self.layouts[member] = layout
        return len(self.members) == self.size

    def give(self, identity: bytes, step: Step, gift: list[Any]) -> bool:
        """A member takes part.

        Returns:
            Whether all have.

        Raises:
            DistributedError: they want different things, or one can no longer come.
        """
        member = next(m for m, known in self.members.items() if known == identity)
        self.steps[member] = step
        self.gifts[member] = gift
        if (wrong := disorder(self.steps)) is not None:
            raise DistributedError(wrong)
        self._check_left()
        return len(self.steps) == self.size

    def leave(self, identity: bytes) -> None:
        """A member will take part no more.

        Raises:
            DistributedError: others wait for it.
        """
        self._left |= {member for member, known in self.members.items() if known == identity}
        if self.steps or len(self.members) < self.size:
            self._check_left()

    def end(self) -> None:
        """The round is over: all have been told."""
        self.steps = {}
        self.gifts = {}

    def there(self) -> dict[int, bytes]:
        """The members that came and did not leave."""
        return {m: identity for m, identity in self.members.items() if m not in self._left}

    def missing(self) -> list[int]:
        """For whom the others wait."""
        came = self.steps if len(self.members) == self.size else self.members
        return [member for member in range(self.size) if member not in came]

    def _check_left(self) -> None:
        if self._left:
            raise DistributedError(
                f"process {min(self._left)} has closed its DistributedContext or ended, and "
                "others still want to talk to it"
            )
