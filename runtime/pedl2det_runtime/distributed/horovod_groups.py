"""Groups of processes that Horovod connects."""

from __future__ import annotations

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


def horovod_groups(layout: Layout) -> Groups:
    """Return the groups of an initialised ``horovod.tensorflow``; every process must call it.

    Local collectives run on all processes, and each machine uses its part.
    """
    everywhere = FrameworkGroup(_Horovod(), layout.rank, patience())
    machine: Group = everywhere
    if layout.cross_size > 1:
        by_machine = machines(everywhere.exchange(Collective.ALLGATHER, layout))
        machine = Part(everywhere, by_machine[layout.cross_rank], layout.local_rank)
    return Groups(everywhere, machine, close=lambda: None)


class _Horovod:
    """Send bytes through Horovod's collectives of tensors.

    Its collectives of objects take 2 s for 100 MB: TensorFlow reads their bytes one by one.
    """

    def allgather(self, data: bytes, *, to_all: bool = True) -> list[Any]:
        """Return the buffers of all members; Horovod sends them to all."""
        sizes = self._run("allgather", np.array([len(data)]), name="sizes")
        gathered = self._run("allgather", np.frombuffer(data, np.uint8), name="allgather")
        return np.split(gathered, np.cumsum(sizes)[:-1])

    def broadcast(self, data: bytes, size: int) -> Any:
        """Return the buffer of member 0."""
        array = np.frombuffer(data, np.uint8) if data else np.zeros(size, np.uint8)
        return self._run("broadcast", array, 0, name="broadcast")

    def _run(self, collective: str, *arguments: Any, name: str) -> Any:
        """Run a collective; Horovod matches tensors by their names."""
        import horovod.tensorflow
        import tensorflow as tf

        function = getattr(horovod.tensorflow, collective)
        options = {"name": f"pedl2det.{name}"}
        # On the processor: Horovod may be built without what it needs to send from a GPU.
        if tf.executing_eagerly():
            with tf.device("/cpu:0"):
                return function(*arguments, **options).numpy()
        # A graph of its own: that of the user may be finalized, or another on each process.
        with tf.Graph().as_default(), tf.device("/cpu:0"), tf.compat.v1.Session() as session:
            return session.run(function(*arguments, **options))
