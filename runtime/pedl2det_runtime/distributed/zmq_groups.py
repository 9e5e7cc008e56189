"""The groups of a context that is created by hand: all processes, and those of each machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import zmq
from zmq.auth.thread import ThreadAuthenticator

from pedl2det_runtime.distributed.collective import Collective
from pedl2det_runtime.distributed.deadline import Result, patience
from pedl2det_runtime.distributed.framework_group import FrameworkGroup
from pedl2det_runtime.distributed.group import Alone, Group, Groups
from pedl2det_runtime.distributed.keys import Keys, find_keys
from pedl2det_runtime.distributed.layout import Layout, is_loopback, machines
from pedl2det_runtime.distributed.members import Chief, Worker
from pedl2det_runtime.distributed.private_directory import socket_path
from pedl2det_runtime.distributed.sockets import public_key, tcp_address


def zmq_groups(
    layout: Layout, chief_ip: str | None, ports: tuple[int, int], *, force_tcp: bool
) -> Groups:
    """Meet the other processes; wait for all of them.

    Args:
        layout: this process.
        chief_ip: the address of the chief; None if all processes are on this machine.
        ports: where all processes meet; and, in its socket's name, where those of a machine do.
        force_tcp: use 127.0.0.1 instead of unix-domain sockets.

    Raises:
        DistributedError: not all came, or their layouts contradict each other.
    """
    local = "127.0.0.1" if force_tcp else None
    host = chief_ip if layout.cross_size > 1 and chief_ip else local
    is_one_machine = host == local or is_loopback(host)
    keys = find_keys(is_one_machine=is_one_machine) if host or local else None
    with ExitStack() as opened:
        context = zmq.Context()
        opened.callback(context.destroy, linger=0)
        if keys is not None and layout.local_rank == 0:
            opened.callback(_authenticate(context, keys).stop)

        def connect(address: str, member: int, size: int) -> tuple[_ZmqGroup, str]:
            end: Chief | Worker
            secured = keys if address.startswith("tcp://") else None
            if member == 0:
                end = Chief(context, address, secured, size)
                address = end.address
            else:
                end = Worker(context, address, secured, member, size)
            opened.callback(end.close)
            return _ZmqGroup(end, member), address

        address = tcp_address(host, ports[0]) if host else _unix_address(ports[0], 0)
        everywhere, _ = connect(address, layout.rank, layout.size)
        ranks = machines(everywhere.exchange(Collective.ALLGATHER, layout))
        machine: Group = everywhere if layout.cross_size == 1 else Alone()
        if layout.cross_size > 1 and layout.local_size > 1:
            # With the number of the machine, since machines may share a file system.
            address = f"tcp://{local}:*" if local else _unix_address(ports[1], layout.cross_rank)
            joined: _ZmqGroup | None = None
            if layout.local_rank == 0:  # takes a free port, and says which
                joined, address = connect(address, 0, layout.local_size)
            addresses = everywhere.exchange(Collective.ALLGATHER, address)
            if joined is None:
                address = addresses[ranks[layout.cross_rank][0]]
                joined, _ = connect(address, layout.local_rank, layout.local_size)
            joined.exchange(Collective.ALLGATHER, layout)
            machine = joined
        close, process = opened.pop_all().close, os.getpid()
        # A forked child must not use the sockets of its parent.
        return Groups(everywhere, machine, lambda: close() if os.getpid() == process else None)


def _unix_address(port: int, machine: int) -> str:
    return f"ipc://{socket_path(f'{port}-{machine}')}"


def _authenticate(context: Any, keys: Keys) -> ThreadAuthenticator:
    """Refuse connections of strangers before they can send anything."""
    workers = public_key(keys.workers)
    authenticator = ThreadAuthenticator(context)
    authenticator.start()
    is_worker = SimpleNamespace(callback=lambda _, public: public == workers)
    authenticator.configure_curve_callback("*", is_worker)
    return authenticator


class _ZmqGroup(FrameworkGroup):
    """A group that sockets connect; they have time limits and error messages of their own."""

    def __init__(self, end: Chief | Worker, member: int) -> None:
        super().__init__(end, member, patience())
        self._end = end
        self._number = -1  # collective 0 is the one in which the processes meet

    def _call(self, collective: Callable[[], Result]) -> Result:
        try:
            return collective()
        except BaseException as error:
            # Also Ctrl-C: a late answer must not be taken for that of the next collective.
            self._end.fail(str(error) or f"process {self._member}: {type(error).__name__}")
            raise
