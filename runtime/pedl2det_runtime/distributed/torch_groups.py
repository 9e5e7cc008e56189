"""Groups of processes that ``torch.distributed`` connects."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any

from pedl2det_runtime.distributed.layout import Layout, machines
from pedl2det_runtime.distributed.process_groups import (
    Collective,
    FrameworkGroup,
    Group,
    Groups,
    patience,
)


def torch_is_connected() -> bool:
    """Return whether this process has called ``torch.distributed.init_process_group``."""
    torch = sys.modules.get("torch.distributed")  # who did has imported it
    return torch is not None and torch.is_available() and torch.is_initialized()


def torch_groups(layout: Layout) -> Groups:
    """Return the groups of an initialised ``torch.distributed``; every process must call it."""
    import torch.distributed

    everywhere = FrameworkGroup(_Torch(None, 0), layout.rank, patience())
    machine: Group = everywhere
    if layout.cross_size > 1:
        layouts = everywhere.exchange(Collective.ALLGATHER, asdict(layout))
        for number, ranks in enumerate(machines([Layout(**each) for each in layouts])):
            group = torch.distributed.new_group(ranks)  # each process must make those of all
            if number == layout.cross_rank:
                machine = FrameworkGroup(_Torch(group, ranks[0]), layout.local_rank, patience())
    return Groups(everywhere, machine, close=lambda: None)


class _Torch:
    """Send bytes through the collectives of objects.

    Args:
        group: the group of torch; None for all processes.
        root: the rank of the group's member 0.
    """

    def __init__(self, group: Any, root: int) -> None:
        self._group = group
        self._root = root

    def allgather(self, data: bytes, *, to_all: bool = True) -> list[Any]:
        """Return the buffers of all members; torch sends them to all."""
        import torch.distributed

        gathered: list[Any] = [None] * torch.distributed.get_world_size(self._group)
        torch.distributed.all_gather_object(gathered, data, group=self._group)
        return gathered

    def broadcast(self, data: bytes, size: int) -> Any:
        """Return the buffer of member 0."""
        import torch.distributed

        holder = [data]
        torch.distributed.broadcast_object_list(holder, src=self._root, group=self._group)
        return holder[0]
