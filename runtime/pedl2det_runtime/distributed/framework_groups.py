"""Groups of processes that Horovod or ``torch.distributed`` connects."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pedl2det_runtime.distributed.layout import Layout, machines
from pedl2det_runtime.distributed.process_groups import (
    Collective,
    FrameworkGroup,
    Group,
    Groups,
    Part,
    patience,
)


def horovod_groups(hvd: Any, layout: Layout) -> Groups:
    """Return the groups of an initialised Horovod; every process must call it.

    On several machines, the processes of one machine have a group of their own if Horovod was
    initialised with a process set for each machine, or with ``HOROVOD_DYNAMIC_PROCESS_SETS=1``.
    Otherwise local collectives run on all processes, and each machine uses its part.
    """
    on_torch = ".torch" in getattr(hvd, "__name__", "")
    library, compute = _torch() if on_torch else _tensorflow()
    whole = _Horovod(library, compute, "everywhere", root=0)
    everywhere = FrameworkGroup(whole, layout.rank, patience())
    machine: Group = everywhere
    if layout.cross_size > 1:
        by_machine = machines(everywhere.exchange(Collective.ALLGATHER, layout))
        ranks = by_machine[layout.cross_rank]
        sets = _process_sets(library, by_machine)
        if sets is None:
            machine = Part(everywhere, ranks, layout.local_rank)
        else:
            part = _Horovod(
                library, compute, "machine", root=ranks[0], process_set=sets[layout.cross_rank]
            )
            machine = FrameworkGroup(part, layout.local_rank, patience())
    return Groups(everywhere, machine, close=lambda: None)


class _Horovod:
    """Send bytes through Horovod's collectives of tensors.

    Its collectives of objects take 2 s for 100 MB: TensorFlow reads their bytes one by one.

    Args:
        library: ``horovod.tensorflow`` or ``horovod.torch``.
        compute: runs a collective of an array.
        name: the name of the group; Horovod matches tensors by their names.
        root: the rank of the group's member 0.
        options: ``process_set``, unless the group has all processes.
    """

    def __init__(
        self,
        library: Any,
        compute: Callable[..., Any],
        name: str,
        *,
        root: int,
        **options: Any,
    ) -> None:
        self._library = library
        self._compute = compute
        self._name = f"pedl2det.{name}"
        self._root = root
        self._options = options

    def allgather(self, data: bytes, *, to_all: bool = True) -> list[Any]:
        """Return the buffers of all members; Horovod sends them to all."""
        sizes = self._run("allgather", np.array([len(data)]), name=f"{self._name}.sizes")
        array = np.frombuffer(data, np.uint8)
        gathered = self._run("allgather", array, name=f"{self._name}.allgather")
        return np.split(gathered, np.cumsum(sizes)[:-1])

    def broadcast(self, data: bytes, size: int) -> Any:
        """Return the buffer of member 0."""
        array = np.frombuffer(data, np.uint8) if data else np.zeros(size, np.uint8)
        return self._run("broadcast", array, self._root, name=f"{self._name}.broadcast")

    def _run(self, collective: str, array: Any, *arguments: Any, name: str) -> Any:
        function = getattr(self._library, collective)
        return self._compute(function, array, *arguments, name=name, **self._options)


def _tensorflow() -> tuple[Any, Callable[..., Any]]:
    import horovod.tensorflow
    import tensorflow as tf

    def compute(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        # On the processor: Horovod may be built without what it needs to send from a GPU.
        if tf.executing_eagerly():
            with tf.device("/cpu:0"):
                return function(*arguments, **options).numpy()
        # A graph of its own: that of the user may be finalized, or another on each process.
        with tf.Graph().as_default(), tf.device("/cpu:0"), tf.compat.v1.Session() as session:
            return session.run(function(*arguments, **options))

    return horovod.tensorflow, compute


def _torch() -> tuple[Any, Callable[..., Any]]:
    import horovod.torch
    import torch

    def compute(function: Callable[..., Any], array: Any, *arguments: Any, **options: Any) -> Any:
        tensor = torch.from_numpy(array.copy())  # torch wants memory that can be written to
        return function(tensor, *arguments, **options).numpy()

    return horovod.torch, compute


def _process_sets(library: Any, by_machine: Sequence[Sequence[int]]) -> list[Any] | None:
    """Return a process set for each machine; None if Horovod has none and cannot add any."""
    basics = sys.modules[library.ProcessSet.__module__]._basics  # nothing public tells them
    numbered = basics._get_process_set_ids_and_ranks()
    known = {tuple(ranks): number for number, ranks in numbered.items()}
    dynamic = os.environ.get("HOROVOD_DYNAMIC_PROCESS_SETS") == "1"
    sets = []
    for ranks in by_machine:
        process_set = library.ProcessSet(ranks)
        if tuple(ranks) in known:
            process_set.process_set_id = known[tuple(ranks)]
        elif dynamic:
            library.add_process_set(process_set)
        else:
            return None
        sets.append(process_set)
    return sets


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
        by_machine = machines(everywhere.exchange(Collective.ALLGATHER, layout))
        for number, ranks in enumerate(by_machine):
            group = torch.distributed.new_group(ranks)  # every process must create all groups
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
        self._group, self._root = group, root

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
