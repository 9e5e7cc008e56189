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
from pedl2det_runtime.distributed.keys import Keys, keys_from_environment
from pedl2det_runtime.distributed.layout import Layout, machines
from pedl2det_runtime.distributed.members import Chief, Worker
from pedl2det_runtime.distributed.private_directory import socket_path
from pedl2det_runtime.distributed.sockets import public_key, tcp_address


def zmq_groups(
    layout: Layout, chief_ip: str | None, ports: tuple[int, int], *, force_tcp: bool
) -> Groups:
    """Meet the other processes; wait for all of them.

    Args:
        layout: this process.
        chief_ip: the address of the chief; needed if there are several machines.
        ports: where all processes meet, and where those of one machine do if there are several.
        force_tcp: use 127.0.0.1 instead of unix-domain sockets.

    Raises:
        DistributedError: not all came, or their layouts contradict each other.
    """
    keys = keys_from_environment() if force_tcp or layout.cross_size > 1 else None
    local = "127.0.0.1" if force_tcp else None

    def connect(host: str | None, port: int, member: int, size: int) -> Group:
        end: Chief | Worker
        # With the number of the machine, since machines may share a file system.
        path = f"{port}-{layout.cross_rank}"
        address = tcp_address(host, port) if host else f"ipc://{socket_path(path)}"
        secured = keys if host else None
        if member == 0:
            end = Chief(context, address, secured, size)
        else:
            end = Worker(context, address, secured, member, size)
        opened.callback(end.close)
        return _ZmqGroup(end, member)

    with ExitStack() as opened:
        context = zmq.Context()
        opened.callback(context.destroy, linger=0)
        if keys is not None and layout.local_rank == 0:
            opened.callback(_authenticate(context, keys).stop)
        host = local if layout.cross_size == 1 else chief_ip
        everywhere = connect(host, ports[0], layout.rank, layout.size)
        machines(everywhere.exchange(Collective.ALLGATHER, layout))
        machine: Group = everywhere if layout.cross_size == 1 else Alone()
        if layout.cross_size > 1 and layout.local_size > 1:
            machine = connect(local, ports[1], layout.local_rank, layout.local_size)
            machine.exchange(Collective.ALLGATHER, layout)
        close, process = opened.pop_all().close, os.getpid()
        # A forked child must not use the sockets of its parent.
        return Groups(everywhere, machine, lambda: close() if os.getpid() == process else None)


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
