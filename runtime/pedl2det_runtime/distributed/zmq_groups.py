"""Groups that meet at sockets, for a context made by hand. One hub for all, one more a machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from pedl2det_runtime.distributed import times
from pedl2det_runtime.distributed.endpoint import Endpoint, tcp_endpoint, unix_endpoint
from pedl2det_runtime.distributed.group import Alone, Group, Groups
from pedl2det_runtime.distributed.hub import INSIDE, Hub
from pedl2det_runtime.distributed.keys import Keys, keys_from_environment
from pedl2det_runtime.distributed.layout import Layout, machines
from pedl2det_runtime.distributed.library import zmq
from pedl2det_runtime.distributed.member import Member
from pedl2det_runtime.errors import DistributedError

_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Ports:
    """The ports of a run.

    Attributes:
        everywhere: where all processes meet.
        machine: where those of one machine meet, if there are several machines.
    """

    everywhere: int
    machine: int


def zmq_groups(layout: Layout, chief_ip: str | None, ports: Ports, *, force_tcp: bool) -> Groups:
    """Meet the other processes; waits for them.

    Args:
        layout: this process.
        chief_ip: the address of the chief, if there are several machines.
        ports: see there; the same for every process.
        force_tcp: no unix-domain sockets.

    Raises:
        DistributedError: not all came, or their layouts do not fit together.
    """
    keys = keys_from_environment() if force_tcp or layout.cross_size > 1 else None
    opened: list[_Meeting] = []

    def close() -> None:
        while opened:
            opened.pop().close()

    def meet(where: Endpoint, member: int, size: int) -> Member:
        opened.append(_Meeting(where, layout, member, size))
        return opened[-1].member

    try:
        if layout.cross_size == 1:
            where = _within(layout, ports.everywhere, keys if force_tcp else None)
            everywhere = meet(where, layout.rank, layout.size)
            _check(everywhere)
            return Groups(everywhere, everywhere, close)
        assert chief_ip is not None and keys is not None
        where = tcp_endpoint(chief_ip, ports.everywhere, keys)
        everywhere = meet(where, layout.rank, layout.size)
        _check(everywhere)
        machine: Group = Alone()
        if layout.local_size > 1:
            where = _within(layout, ports.machine, keys if force_tcp else None)
            machine = meet(where, layout.local_rank, layout.local_size)
        return Groups(everywhere, machine, close)
    except BaseException:
        close()
        raise


def _within(layout: Layout, port: int, keys: Keys | None) -> Endpoint:
    if keys is not None:
        return tcp_endpoint(_LOOPBACK, port, keys)
    # Machines may share a file system, or be two in name only.
    return unix_endpoint(f"{port}-{layout.cross_rank}")


def _check(everywhere: Member) -> None:
    try:
        machines(everywhere.layouts)
    except DistributedError as error:
        everywhere.fail(str(error))
        raise


class _Meeting:
    """A member of a group, its hub if it is the chief, and what both stand on."""

    def __init__(self, where: Endpoint, layout: Layout, member: int, size: int) -> None:
        patience = times.patience()
        self._pid = os.getpid()
        self._context = zmq().Context()
        self._doorkeeper: Any = None
        self._hub: Hub | None = None
        try:
            if member == 0:
                if where.keys is not None:
                    self._doorkeeper = _doorkeeper(self._context, where.keys)
                self._hub = Hub(self._context, where, size, patience)
                where = Endpoint(INSIDE, keys=None)
            self.member = Member(
                self._context, where, member=member, size=size, layout=layout, patience=patience
            )
        except BaseException:
            self._end()
            raise

    def close(self) -> None:
        """Leave the group, and end it if this is its chief."""
        if os.getpid() == self._pid:  # a forked child has the sockets of its parent, not its own
            self.member.close()
            self._end()

    def _end(self) -> None:
        if self._hub is not None:
            self._hub.close()
        if self._doorkeeper is not None:
            self._doorkeeper.stop()
        self._context.term()


def _doorkeeper(context: Any, keys: Keys) -> Any:
    """Who is asked before a connection may say anything."""
    doorkeeper = zmq().auth.thread.ThreadAuthenticator(context)
    doorkeeper.start()
    doorkeeper.configure_curve_callback("*", _OneClient(keys.client.public))
    return doorkeeper


class _OneClient:
    """Lets in who has the client's key."""

    def __init__(self, public: bytes) -> None:
        self._public = public

    def callback(self, domain: str, key: bytes) -> bool:
        """Whether a client may come (the name that pyzmq calls)."""
        return key == self._public
