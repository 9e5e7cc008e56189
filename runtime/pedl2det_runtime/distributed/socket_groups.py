"""The groups of a context that is created by hand: all processes, and those of each machine.

In a round every worker sends an object to the chief, which answers when it has all objects. So no
process runs ahead. While the chief waits it sends keep-alive messages, so that the workers wait
until it names the processes that are late.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import time
from collections.abc import Callable
from contextlib import ExitStack
from multiprocessing.connection import Connection, wait

from pedl2det_runtime.distributed.connections import (
    REFUSED,
    Door,
    Place,
    connect,
    find_key,
    place_of,
)
from pedl2det_runtime.distributed.layout import Layout, is_loopback, machines
from pedl2det_runtime.distributed.process_groups import (
    PATIENCE_VARIABLE,
    Alone,
    Collective,
    FrameworkGroup,
    Group,
    Groups,
    Result,
    patience,
)
from pedl2det_runtime.errors import DistributedError

#: Sent before each message, which is an object, the reason why the group failed, or empty.
_OBJECT, _FAILURE, _ALIVE = b"object", b"failure", b"alive"

_GONE = "is gone: it has closed its DistributedContext, ended or been killed"
_SLOW = f"if it is only slow, set ${PATIENCE_VARIABLE} to more seconds"
_PAUSE = 1.0  # seconds between two keep-alive messages
_HERE = "127.0.0.1"


class Chief:
    """Member 0 of a group; see :class:`Framework`.

    Attributes:
        place: the address at which it listens.
    """

    def __init__(self, place: Place, key: bytes, size: int) -> None:
        self._size = size
        self._patience = patience()
        self._workers: dict[int, Connection] = {}
        self._admitted: list[Connection] = []
        self._arrivals: queue.SimpleQueue[tuple[Connection, bytes]] = queue.SimpleQueue()
        self._door = Door(place, key, lambda *arrival: self._arrivals.put(arrival))
        self.place = self._door.place

    def allgather(self, data: bytes, *, to_all: bool = True) -> list[bytes]:
        """Collect the objects of all; send each worker those of the others."""
        self._meet()
        objects = self._collect(data)
        for member in self._workers:
            for other, content in enumerate(objects):
                if other != member:
                    self._send(member, _OBJECT, content if to_all else b"")
        return objects

    def broadcast(self, data: bytes, size: int) -> bytes:
        """Send an object to all workers."""
        for member in self._workers:
            self._send(member, _OBJECT, data)
        return data

    def fail(self, why: str) -> None:
        """Tell the workers why the group has failed."""
        for worker in self._admitted:
            with contextlib.suppress(OSError):
                worker.send_bytes(_FAILURE)
                worker.send_bytes(why.encode())

    def close(self) -> None:
        """End the group."""
        self._door.close()
        for worker in self._admitted:
            worker.close()

    def _meet(self) -> None:
        """Wait until all workers have connected, then accept no more connections."""
        deadline = time.monotonic() + self._patience
        while len(self._workers) < self._size - 1:
            try:
                left = max(deadline - time.monotonic(), 0.01)
                worker, introduction = self._arrivals.get(timeout=left)
            except queue.Empty:
                raise self._late_error(set(range(1, self._size)) - self._workers.keys()) from None
            self._admitted.append(worker)
            member, size = json.loads(introduction)
            if size != self._size:
                raise DistributedError(
                    f"process {member} is one of {size}, the chief is one of {self._size}"
                )
            if member in self._workers:
                raise DistributedError(
                    f"two processes are number {member} of {size}; is another run using the same "
                    "ports? Then give it another port_offset"
                )
            self._workers[member] = worker
        self._door.close()

    def _collect(self, own: bytes) -> list[bytes]:
        objects = {0: own}
        deadline = time.monotonic() + self._patience
        while len(objects) < self._size:
            late = self._workers.keys() - objects.keys()
            ready = wait([self._workers[member] for member in late], timeout=_PAUSE)
            for member in late:
                if self._workers[member] in ready:
                    objects[member] = self._receive(member)
            if ready:
                continue
            if time.monotonic() > deadline:
                raise self._late_error(late)
            for member in self._workers:
                self._send(member, _ALIVE)
        return [objects[member] for member in range(self._size)]

    def _late_error(self, members: set[int]) -> DistributedError:
        names = ", ".join(map(str, sorted(members)))
        return DistributedError(f"waited {self._patience:g} s for process {names}; {_SLOW}")

    def _receive(self, member: int) -> bytes:
        try:
            kind, data = _read_message(self._workers[member])
        except (EOFError, OSError) as error:
            raise DistributedError(f"process {member} {_GONE}") from error
        if kind == _FAILURE:
            raise DistributedError(data.decode())
        return data

    def _send(self, member: int, kind: bytes, data: bytes = b"") -> None:
        try:
            self._workers[member].send_bytes(kind)
            self._workers[member].send_bytes(data)
        except OSError as error:
            raise DistributedError(f"process {member} {_GONE}") from error


class Worker:
    """A member of a group other than the chief; see :class:`Framework`."""

    def __init__(self, place: Place, key: bytes, member: int, size: int) -> None:
        self._member, self._size = member, size
        self._chief = f"the chief (process 0, {place[0]}:{place[1]})"
        self._patience = patience()
        self._connection = self._connect(place, key)

    def allgather(self, data: bytes, *, to_all: bool = True) -> list[bytes]:
        """Send an object to the chief; return those of all."""
        with contextlib.suppress(OSError):  # ``_receive`` reports it
            self._connection.send_bytes(_OBJECT)
            self._connection.send_bytes(data)
        others = [self._receive() for _ in range(self._size - 1)]
        return [*others[: self._member], data, *others[self._member :]]

    def broadcast(self, data: bytes, size: int) -> bytes:
        """Return the object of the chief."""
        return self._receive()

    def fail(self, why: str) -> None:
        """Tell the chief why the group has failed."""
        with contextlib.suppress(OSError):
            self._connection.send_bytes(_FAILURE)
            self._connection.send_bytes(why.encode())

    def close(self) -> None:
        """Leave the group."""
        self._connection.close()

    def _connect(self, place: Place, key: bytes) -> Connection:
        introduction = json.dumps([self._member, self._size]).encode()
        deadline, refusals = time.monotonic() + self._patience, 0
        while True:
            try:
                return connect(place, key, introduction)
            except (ConnectionRefusedError, TimeoutError):
                pass  # the chief does not listen yet
            except REFUSED:
                refusals += 1
            if refusals == 3:
                raise DistributedError(
                    f"{self._chief} and this process do not accept each other: their keys differ, "
                    "or what listens there is not the chief of this run"
                )
            if time.monotonic() > deadline:
                raise self._no_answer_error()
            time.sleep(0.1)

    def _receive(self) -> bytes:
        """Wait for an object from the chief.

        Raises:
            DistributedError: the group has failed, or the chief is gone.
        """
        while self._connection.poll(self._patience + 2 * _PAUSE):  # the chief gives up first
            try:
                kind, data = _read_message(self._connection)
            except (EOFError, OSError) as error:
                raise DistributedError(f"{self._chief} {_GONE}") from error
            if kind == _FAILURE:
                raise DistributedError(data.decode())
            if kind == _OBJECT:
                return data
        raise self._no_answer_error()

    def _no_answer_error(self) -> DistributedError:
        return DistributedError(
            f"waited {self._patience:g} s, and nothing came from {self._chief}; {_SLOW}"
        )


def _read_message(connection: Connection) -> tuple[bytes, bytes]:
    return connection.recv_bytes(), connection.recv_bytes()


def socket_groups(layout: Layout, chief_ip: str | None, port: int) -> Groups:
    """Meet the other processes; wait for all of them.

    With several machines, the processes of each also meet at a free port of 127.0.0.1.

    Args:
        layout: this process.
        chief_ip: the address of the chief; not used if all processes are on one machine.
        port: where all processes meet.

    Raises:
        DistributedError: not all connected, or their layouts contradict each other.
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
            if layout.local_rank == 0:  # listens at a free port, which it sends to the others
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
    """A group over sockets, which have time limits and error messages of their own."""

    def __init__(self, end: Chief | Worker, member: int) -> None:
        super().__init__(end, member, patience())
        self._end = end
        self._number = -1  # collective 0 is the one in which the processes meet

    @property
    def place(self) -> Place:
        """The address at which this chief listens."""
        assert isinstance(self._end, Chief)
        return self._end.place

    def _call(self, call: Callable[[], Result]) -> Result:
        try:
            return call()
        except BaseException as error:
            # Also Ctrl-C: a late answer must not be taken for that of the next collective.
            self._end.fail(str(error) or f"process {self._member}: {type(error).__name__}")
            raise
