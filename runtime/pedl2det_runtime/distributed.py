"""Who trains this trial: ``context.distributed``. So far one process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DistributedContext:
    """The ranks of this process (seed 002, ``DistributedContext``)."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0
    local_size: int = 1
    cross_rank: int = 0
    cross_size: int = 1

    def get_rank(self) -> int:
        """The unique number of this process within the trial."""
        return self.rank

    def get_local_rank(self) -> int:
        """The unique number of this process on its machine."""
        return self.local_rank

    def get_size(self) -> int:
        """How many slots this trial runs on."""
        return self.size

    def get_num_agents(self) -> int:
        """How many machines this trial runs on."""
        return self.cross_size
