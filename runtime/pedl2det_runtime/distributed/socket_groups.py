"""The groups of a context that is created by hand: all processes, and those of each machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack

from pedl2det_runtime.distributed.collective import Collective
from pedl2det_runtime.distributed.connections import Place, place_of
from pedl2det_runtime.distributed.deadline import Result, patience
from pedl2det_runtime.distributed.framework_group import FrameworkGroup
from pedl2det_runtime.distributed.group import Alone, Group, Groups
from pedl2det_runtime.distributed.key import find_key
from pedl2det_runtime.distributed.layout import Layout, is_loopback, machines
from pedl2det_runtime.distributed.members import Chief, Worker

_HERE = "127.0.0.1"


def socket_groups(layout: Layout, chief_ip: str | None, port: int) -> Groups:
    """Meet the other processes; wait for all of them.

    Those of one machine of several meet at a free port of 127.0.0.1.

    Args:
        layout: this process.
        chief_ip: the address of the chief; not used if all processes are on one machine.
        port: where all processes meet.

    Raises:
        DistributedError: not all came, or their layouts contradict each other.
    """
    host = chief_ip if layout.cross_size > 1 and chief_ip else _HERE
    key = find_key(is_one_machine=is_loopback(host))
    with ExitStack() as opened:

        def join(place: Place, member: int, size: int) -> _SocketGroup:
            chief = member == 0
            end = Chief(place, key, size) if chief else Worker(place, key, member, size)
            opened.callback(end.close)
            return _SocketGroup(end, member)

        everywhere = join(place_of(host, port), layout.rank, layout.size)
        ranks = machines(everywhere.exchange(Collective.ALLGATHER, layout))
        machine: Group = everywhere if layout.cross_size == 1 else Alone()
        if layout.cross_size > 1 and layout.local_size > 1:
            first: _SocketGroup | None = None
            if layout.local_rank == 0:  # takes a free port, and says which
                first = join((_HERE, 0), 0, layout.local_size)
            places = everywhere.exchange(Collective.ALLGATHER, first and first.place)
            place = places[ranks[layout.cross_rank][0]]
            joined = first or join(place, layout.local_rank, layout.local_size)
            joined.exchange(Collective.ALLGATHER, layout)
            machine = joined
        close, process = opened.pop_all().close, os.getpid()
        # A forked child must not use the connections of its parent.
        return Groups(everywhere, machine, lambda: close() if os.getpid() == process else None)


class _SocketGroup(FrameworkGroup):
    """A group that connections join; they have time limits and error messages of their own."""

    def __init__(self, end: Chief | Worker, member: int) -> None:
        super().__init__(end, member, patience())
        self._end = end
        self._number = -1  # collective 0 is the one in which the processes meet

    @property
    def place(self) -> Place:
        """Where the chief listens, which this is."""
        assert isinstance(self._end, Chief)
        return self._end.place

    def _call(self, collective: Callable[[], Result]) -> Result:
        try:
            return collective()
        except BaseException as error:
            # Also Ctrl-C: a late answer must not be taken for that of the next collective.
            self._end.fail(str(error) or f"process {self._member}: {type(error).__name__}")
            raise
