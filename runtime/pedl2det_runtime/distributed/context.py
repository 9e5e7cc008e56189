"""``context.distributed``: which process this is, and how it talks to the others."""

from __future__ import annotations

import os
import weakref
from typing import Any, Self

from pedl2det_runtime.distributed.collective import Collective
from pedl2det_runtime.distributed.group import Groups, alone
from pedl2det_runtime.distributed.layout import Layout, chief_address, layout_from
from pedl2det_runtime.distributed.torch_groups import torch_groups, torch_is_connected
from pedl2det_runtime.errors import DistributedError

_TORCH = {
    "rank": "RANK",
    "size": "WORLD_SIZE",
    "local_rank": "LOCAL_RANK",
    "local_size": "LOCAL_WORLD_SIZE",
    "cross_rank": "GROUP_RANK",
    "cross_size": "GROUP_WORLD_SIZE",
}
_DEEPSPEED = {
    "rank": "RANK",
    "size": "WORLD_SIZE",
    "local_rank": "LOCAL_RANK",
    "local_size": "LOCAL_SIZE",
    "cross_rank": "CROSS_RANK",
    "cross_size": "CROSS_SIZE",
}


class DistributedContext:
    """Which of the processes that train a trial this is, and how it talks to the others.

    The methods that talk are collectives: every process must call the same ones in the same order
    (the local ones: every process of the machine), and none returns before all have called it. A
    process that dies, leaves, or calls another one makes all others raise; see docs/distributed.md.
    They are for coordination, and no replacement for the collectives of a training framework.

    The constructor waits until all processes are there. It needs pyzmq if ``size`` is more than 1.

    Args:
        rank: the number of this process within the trial; the chief has 0.
        size: how many processes train the trial.
        local_rank: the number of this process on its machine.
        local_size: how many processes train on each machine.
        cross_rank: the number of this machine.
        cross_size: how many machines train the trial.
        chief_ip: the address of the chief's machine; needed if there are several. The chief listens
            on this address alone, and processes without ``$PEDL2DET_CLUSTER_KEY`` are refused.
        pub_port: where all processes meet.
        pull_port: where the processes of one machine meet, if there are several machines.
        port_offset: added to both ports, for several runs on one machine.
        force_tcp: meet at 127.0.0.1 within a machine, where a unix-domain socket is used otherwise.

    Raises:
        CheckFailedError: no process can have these numbers, or ``chief_ip`` is missing.
        DistributedError: the others did not come, or there is no key.
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
        chief_ip: str | None = None,
        pub_port: int = 12360,
        pull_port: int = 12376,
        port_offset: int = 0,
        force_tcp: bool = False,
    ) -> None:
        layout = Layout(rank, size, local_rank, local_size, cross_rank, cross_size)
        chief_ip = chief_address(layout, chief_ip)
        if size == 1:
            groups = alone()
        else:
            from pedl2det_runtime.distributed.zmq_groups import Ports, zmq_groups

            ports = Ports(pub_port + port_offset, pull_port + port_offset)
            groups = zmq_groups(layout, chief_ip, ports, force_tcp=force_tcp)
        self._begin(layout, groups)

    @classmethod
    def from_horovod(cls, hvd: Any, chief_ip: str | None = None) -> Self:
        """The context of processes that Horovod has connected; it does the talking.

        Every process must call it.

        Args:
            hvd: ``horovod.tensorflow``, ``horovod.tensorflow.keras`` or ``horovod.torch``, after
                ``hvd.init()``.
            chief_ip: the address of the chief; else ``$DET_CHIEF_IP``. Needed if there are several
                machines.

        Raises:
            CheckFailedError: ``chief_ip`` is missing.
        """
        layout = Layout(
            hvd.rank(),
            hvd.size(),
            hvd.local_rank(),
            hvd.local_size(),
            hvd.cross_rank(),
            hvd.cross_size(),
        )
        chief_address(layout, chief_ip)
        if layout.size == 1:
            return cls._with(layout, alone())
        from pedl2det_runtime.distributed.horovod_groups import horovod_groups

        return cls._with(layout, horovod_groups(hvd, layout))

    @classmethod
    def from_deepspeed(cls, chief_ip: str | None = None) -> Self:
        """The context of processes that DeepSpeed started, from the variables that it sets.

        Args:
            chief_ip: the address of the chief; else ``$DET_CHIEF_IP``. Needed if there are several
                machines.

        Raises:
            CheckFailedError: ``chief_ip`` or a variable is missing.
        """
        return cls._from_launcher(layout_from(_DEEPSPEED, os.environ, "deepspeed"), chief_ip)

    @classmethod
    def from_torch_distributed(cls, chief_ip: str | None = None) -> Self:
        """The context of processes that ``torchrun`` started, from the variables that it sets.

        ``torch.distributed`` does the talking if it is initialised.

        Args:
            chief_ip: the address of the chief; else ``$DET_CHIEF_IP``. Needed if there are several
                machines.

        Raises:
            CheckFailedError: ``chief_ip`` or a variable is missing.
        """
        return cls._from_launcher(layout_from(_TORCH, os.environ, "torchrun"), chief_ip)

    @classmethod
    def _from_launcher(cls, layout: Layout, chief_ip: str | None) -> Self:
        chief_ip = chief_address(layout, chief_ip)
        if layout.size > 1 and torch_is_connected():
            return cls._with(layout, torch_groups(layout))
        return cls(
            rank=layout.rank,
            size=layout.size,
            local_rank=layout.local_rank,
            local_size=layout.local_size,
            cross_rank=layout.cross_rank,
            cross_size=layout.cross_size,
            chief_ip=chief_ip,
        )

    @classmethod
    def _with(cls, layout: Layout, groups: Groups) -> Self:
        context = cls.__new__(cls)
        context._begin(layout, groups)
        return context

    def _begin(self, layout: Layout, groups: Groups) -> None:
        self.rank = layout.rank
        self.size = layout.size
        self.local_rank = layout.local_rank
        self.local_size = layout.local_size
        self.cross_rank = layout.cross_rank
        self.cross_size = layout.cross_size
        self._groups = groups
        # Also when the process ends, so that the others learn it and the last answers get away.
        self._end = weakref.finalize(self, groups.close)

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

    def gather(self, stuff: Any) -> list[Any] | None:
        """On the chief, what every process gave, in the order of ranks; None elsewhere."""
        gifts = self._everywhere(Collective.GATHER, stuff)
        return gifts if self.rank == 0 else None

    def gather_local(self, stuff: Any) -> list[Any] | None:
        """On each machine's chief, what every process of the machine gave; None elsewhere."""
        gifts = self._on_machine(Collective.GATHER_LOCAL, stuff)
        return gifts if self.local_rank == 0 else None

    def allgather(self, stuff: Any) -> list[Any]:
        """What every process gave, in the order of ranks."""
        return self._everywhere(Collective.ALLGATHER, stuff)

    def allgather_local(self, stuff: Any) -> list[Any]:
        """What every process of this machine gave, in the order of ranks."""
        return self._on_machine(Collective.ALLGATHER_LOCAL, stuff)

    def broadcast(self, stuff: Any) -> Any:
        """What the chief gave."""
        return self._everywhere(Collective.BROADCAST, stuff)[0]

    def broadcast_local(self, stuff: Any = None) -> Any:
        """What the chief of this machine gave."""
        return self._on_machine(Collective.BROADCAST_LOCAL, stuff)[0]

    def close(self) -> None:
        """End the connections to the other processes; they get an error if they ask for more.

        It may be called again, and is called when the process ends.
        """
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _everywhere(self, collective: Collective, stuff: Any) -> list[Any]:
        self._check_open(collective)
        return self._groups.everywhere.exchange(collective, stuff)

    def _on_machine(self, collective: Collective, stuff: Any) -> list[Any]:
        self._check_open(collective)
        return self._groups.machine.exchange(collective, stuff)

    def _check_open(self, collective: Collective) -> None:
        if not self._end.alive:
            raise DistributedError(f"{collective}(): this DistributedContext is closed")


def one_process() -> DistributedContext:
    """The context of a process that trains by itself."""
    return DistributedContext(
        rank=0, size=1, local_rank=0, local_size=1, cross_rank=0, cross_size=1
    )
