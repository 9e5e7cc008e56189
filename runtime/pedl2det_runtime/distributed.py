"""Who trains this trial: ``context.distributed``. So far one process."""

from __future__ import annotations

from typing import Any


class DistributedContext:
    """Which of the processes that train a trial this is (seed 002).

    Args:
        rank: the number of this process within the trial.
        size: how many processes train the trial.
        local_rank: the number of this process on its machine.
        local_size: how many processes train on this machine.
        cross_rank: the number of this machine.
        cross_size: how many machines train the trial.
    """

    def __init__(
        self,
        *,
        rank: int,
        size: int,
        local_rank: int,
        local_size: int,
        cross_rank: int,
        cross_size: int,
    ) -> None:
        self.rank = rank
        self.size = size
        self.local_rank = local_rank
        self.local_size = local_size
        self.cross_rank = cross_rank
        self.cross_size = cross_size

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

    # One process: what is gathered or broadcast is its own.

    def gather(self, stuff: Any) -> list[Any] | None:
        """On the chief, what every process gave, in the order of ranks; None elsewhere."""
        return [stuff]

    def gather_local(self, stuff: Any) -> list[Any] | None:
        """On each machine's chief, what every process of the machine gave; None elsewhere."""
        return [stuff]

    def allgather(self, stuff: Any) -> list[Any]:
        """What every process gave, in the order of ranks."""
        return [stuff]

    def allgather_local(self, stuff: Any) -> list[Any]:
        """What every process of this machine gave, in the order of ranks."""
        return [stuff]

    def broadcast(self, stuff: Any) -> Any:
        """What the chief gave."""
        return stuff

    def broadcast_local(self, stuff: Any = None) -> Any:
        """What the chief of this machine gave."""
        return stuff

    def close(self) -> None:
        """End the connections to the other processes."""
