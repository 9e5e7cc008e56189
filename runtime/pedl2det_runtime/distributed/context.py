"""``context.distributed``: the ranks of this process, and collectives of Python objects."""

from __future__ import annotations

import os
import weakref
from typing import Any, Self

from pedl2det_runtime import refusals
from pedl2det_runtime.distributed.layout import (
    Layout,
    chief_address,
    is_loopback,
    layout_from,
    layout_of_tf_config,
)
from pedl2det_runtime.distributed.process_groups import Collective, Groups, alone
from pedl2det_runtime.distributed.socket_groups import socket_groups
from pedl2det_runtime.errors import DistributedError

_PORT = 12360

#: The variables of the launchers, in the order of the attributes of ``Layout``.
_TORCH = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE")
_DEEPSPEED = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_SIZE", "CROSS_RANK", "CROSS_SIZE")


class DistributedContext(refusals.RefusesInternals):
    """The ranks of a process that trains a trial, and collectives of Python objects.

    Every process must call the same collectives in the same order (local ones: every process of the
    machine). A collective returns after all processes have called it. If a process dies, closes its
    context or calls another method, all others raise; see docs/distributed.md. Use collectives to
    coordinate processes, not to exchange gradients.

    The constructor waits for all processes.

    Args:
        rank: the rank of this process within the trial; 0 is the chief.
        size: the number of processes.
        local_rank: the rank of this process on its machine.
        local_size: the number of processes on each machine.
        cross_rank: the rank of this machine.
        cross_size: the number of machines.
        chief_ip: the address of the chief's machine; required for several machines. The chief
            listens only on this address and refuses processes without ``$PEDL2DET_CLUSTER_KEY``.
            On a loopback address the variable is not needed: the processes share a private file.
        pub_port: the port at which the processes meet.
        pull_port: not used.
        port_offset: added to the port, for several runs on one machine.
        force_tcp: not used: TCP is always used, at 127.0.0.1 within a machine.

    Raises:
        CheckFailedError: the numbers are inconsistent, or ``chief_ip`` is missing.
        DistributedError: not all processes connected, or there is no key.
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
        pub_port: int = _PORT,
        pull_port: int = 12376,
        port_offset: int = 0,
        force_tcp: bool = False,
    ) -> None:
        layout = Layout(rank, size, local_rank, local_size, cross_rank, cross_size)
        chief_ip = chief_address(layout, chief_ip)
        self._begin(layout, _sockets(layout, chief_ip, pub_port + port_offset))

    @classmethod
    def from_horovod(cls, hvd: Any, chief_ip: str | None = None) -> Self:
        """Create the context of processes that Horovod connects; objects go through Horovod.

        Every process must call this. With ``horovod.torch``, objects go through sockets.

        Args:
            hvd: ``horovod.tensorflow``, ``horovod.tensorflow.keras`` or ``horovod.torch``, after
                ``hvd.init()``.
            chief_ip: the address of the chief; default ``$DET_CHIEF_IP``. Required for several
                machines.

        Raises:
            CheckFailedError: ``chief_ip`` is missing.
        """
        names = ("rank", "size", "local_rank", "local_size", "cross_rank", "cross_size")
        layout = Layout(*(getattr(hvd, name)() for name in names))
        chief_ip = chief_address(layout, chief_ip)
        if layout.size == 1 or "tensorflow" not in hvd.__name__:
            return cls._with(layout, _sockets(layout, chief_ip, _PORT))
        from pedl2det_runtime.distributed.horovod_groups import horovod_groups

        return cls._with(layout, horovod_groups(layout))

    @classmethod
    def from_deepspeed(cls, chief_ip: str | None = None) -> Self:
        """Create the context of a process that DeepSpeed started, from its environment variables.

        Args:
            chief_ip: the address of the chief; default ``$DET_CHIEF_IP``. Required for several
                machines.

        Raises:
            CheckFailedError: ``chief_ip`` or a variable is missing.
        """
        return cls._from_launcher(layout_from(_DEEPSPEED, "deepspeed"), chief_ip)

    @classmethod
    def from_torch_distributed(cls, chief_ip: str | None = None) -> Self:
        """Create the context of a process that ``torchrun`` started, from its variables.

        Args:
            chief_ip: the address of the chief; default ``$DET_CHIEF_IP``. Required for several
                machines.

        Raises:
            CheckFailedError: ``chief_ip`` or a variable is missing.
        """
        return cls._from_launcher(layout_from(_TORCH, "torchrun"), chief_ip)

    @classmethod
    def from_tf_config(cls) -> tuple[Self, Any]:
        """Create the context and the ``tf.distribute`` strategy of ``$TF_CONFIG``.

        Returns:
            The context, and ``MultiWorkerMirroredStrategy`` for several workers,
            ``MirroredStrategy`` for several GPUs, or the default strategy.

        Raises:
            CheckFailedError: ``$TF_CONFIG`` is malformed.
        """
        import tensorflow as tf

        layout, chief = layout_of_tf_config(os.environ.get("TF_CONFIG", "{}"))
        if chief is None:
            has_gpus = len(tf.config.list_physical_devices("GPU")) > 1
            strategy = tf.distribute.MirroredStrategy if has_gpus else tf.distribute.get_strategy
            return cls._with(layout, alone()), strategy()
        host, port = chief
        # Runs on one machine differ in their ports; TensorFlow itself listens at the chief's port.
        port = _PORT + port % 10_000 if is_loopback(host) else _PORT
        workers = tf.distribute.MultiWorkerMirroredStrategy()
        return cls._with(layout, _sockets(layout, host, port)), workers

    @classmethod
    def _from_launcher(cls, layout: Layout, chief_ip: str | None) -> Self:
        return cls._with(layout, _sockets(layout, chief_address(layout, chief_ip), _PORT))

    @classmethod
    def _with(cls, layout: Layout, groups: Groups) -> Self:
        context = cls.__new__(cls)
        context._begin(layout, groups)
        return context

    def _begin(self, layout: Layout, groups: Groups) -> None:
        self.rank, self.size = layout.rank, layout.size
        self.local_rank, self.local_size = layout.local_rank, layout.local_size
        self.cross_rank, self.cross_size = layout.cross_rank, layout.cross_size
        self._groups = groups
        # Also runs at exit, so that the last replies are sent.
        self._end = weakref.finalize(self, groups.close)

    def get_rank(self) -> int:
        """Return the rank of this process within the trial."""
        return self.rank

    def get_local_rank(self) -> int:
        """Return the rank of this process on its machine."""
        return self.local_rank

    def get_size(self) -> int:
        """Return the number of slots of this trial."""
        return self.size

    def get_num_agents(self) -> int:
        """Return the number of machines of this trial."""
        return self.cross_size

    def gather(self, stuff: Any) -> list[Any] | None:
        """Return the objects of all processes, in the order of ranks, on the chief; else None."""
        objects = self._exchange(Collective.GATHER, stuff)
        return objects if self.rank == 0 else None

    def gather_local(self, stuff: Any) -> list[Any] | None:
        """Return the objects of the machine's processes on its first process; None elsewhere."""
        objects = self._exchange(Collective.GATHER_LOCAL, stuff)
        return objects if self.local_rank == 0 else None

    def allgather(self, stuff: Any) -> list[Any]:
        """Return the objects of all processes, in the order of ranks."""
        return self._exchange(Collective.ALLGATHER, stuff)

    def allgather_local(self, stuff: Any) -> list[Any]:
        """Return the objects of all processes of this machine, in the order of ranks."""
        return self._exchange(Collective.ALLGATHER_LOCAL, stuff)

    def broadcast(self, stuff: Any) -> Any:
        """Return the object of the chief."""
        return self._exchange(Collective.BROADCAST, stuff)[0]

    def broadcast_local(self, stuff: Any = None) -> Any:
        """Return the object of the first process of this machine."""
        return self._exchange(Collective.BROADCAST_LOCAL, stuff)[0]

    def close(self) -> None:
        """Close the connections; collectives of the other processes raise from then on.

        May be called repeatedly. Called automatically when the process ends.
        """
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _exchange(self, collective: Collective, stuff: Any) -> list[Any]:
        if not self._end.alive:
            raise DistributedError(f"{collective}(): this DistributedContext is closed")
        group = self._groups.machine if collective.is_local else self._groups.everywhere
        return group.exchange(collective, stuff)


def _sockets(layout: Layout, chief_ip: str | None, port: int) -> Groups:
    """Return the groups of processes that no framework connects."""
    return alone() if layout.size == 1 else socket_groups(layout, chief_ip, port)


class DummyDistributedContext(DistributedContext):
    """The context of a process that trains alone."""

    def __init__(self) -> None:
        super().__init__(rank=0, size=1, local_rank=0, local_size=1, cross_rank=0, cross_size=1)
