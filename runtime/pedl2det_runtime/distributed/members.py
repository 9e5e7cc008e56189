"""The chief and the workers of a group, and what they send each other.

In a round every worker sends an object to the chief, which answers when it has those of all. So no
process runs ahead. While the chief waits it sends signs of life, which also tell it who is lost.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from typing import Any

import zmq
from zmq.utils.monitor import recv_monitor_message

from pedl2det_runtime.distributed.deadline import PATIENCE_VARIABLE, patience
from pedl2det_runtime.distributed.keys import Keys
from pedl2det_runtime.distributed.sockets import joined, listen, open_socket, send
from pedl2det_runtime.errors import DistributedError

#: The first frame of a message: an object follows, why the group has failed, or nothing.
_OBJECT, _FAILURE, _ALIVE = b"object", b"failure", b"alive"

_GONE = "is gone: it has closed its DistributedContext, ended or been killed"
_SLOW = f"if it is only slow, set ${PATIENCE_VARIABLE} to more seconds"


class Chief:
    """Member 0 of a group; see :class:`Framework`.

    Attributes:
        address: where it listens, with a port for ``tcp://host:*``.
    """

    def __init__(self, context: Any, address: str, keys: Keys | None, size: int) -> None:
        self._size = size
        self._patience = patience()
        self._linger = 30_000  # milliseconds that unsent answers may take after ``close``
        self._workers: dict[bytes, int] = {}  # by their identities in ZeroMQ
        self._router = open_socket(context, zmq.ROUTER, address, keys)
        self._router.router_mandatory = True  # sending to a lost worker raises
        self._lock = listen(self._router, address)
        self.address = self._router.last_endpoint.decode()

    def allgather(self, data: bytes, *, to_all: bool = True) -> list[bytes]:
        """Collect the objects of all; send each worker those of the others."""
        known = list(self._workers)  # all of them, or none yet
        self.broadcast(data if to_all else b"", 0)
        objects = self._collect(data)
        for worker, member in self._workers.items():
            for other in range(1 if worker in known else 0, self._size):
                own = other == member
                self._send(worker, _OBJECT, objects[other] if to_all and not own else b"")
        return objects

    def broadcast(self, data: bytes, size: int) -> bytes:
        """Send an object to all workers."""
        for worker in self._workers:
            self._send(worker, _OBJECT, data)
        return data

    def fail(self, why: str) -> None:
        """Tell the workers why the group has failed."""
        self._linger = 3_000
        for worker in self._workers:
            with contextlib.suppress(DistributedError):
                self._send(worker, _FAILURE, why.encode())

    def close(self) -> None:
        """End the group."""
        self._router.close(linger=self._linger)
        if self._lock is not None:
            self._lock.close()

    def _collect(self, own: bytes) -> list[bytes]:
        objects = {0: own}
        until = time.monotonic() + self._patience
        while len(objects) < self._size:
            if self._router.poll(200):
                sender, kind, *frames = self._router.recv_multipart(copy=False)
                if self._knows(sender.bytes):
                    if kind.bytes == _FAILURE:
                        raise DistributedError(joined(frames).decode())
                    objects[self._workers[sender.bytes]] = joined(frames)
            elif time.monotonic() > until:
                late = ", ".join(str(m) for m in range(self._size) if m not in objects)
                raise DistributedError(f"waited {self._patience:g} s for process {late}; {_SLOW}")
            else:
                for worker in self._workers:
                    self._send(worker, _ALIVE)
        return [objects[member] for member in range(self._size)]

    def _knows(self, worker: bytes) -> bool:
        """Register a worker; False for an unknown one when all are there."""
        if worker in self._workers or len(self._workers) == self._size - 1:
            return worker in self._workers
        member, size = map(int, worker.split(b"/")[:2])
        taken = member in self._workers.values()
        self._workers[worker] = member
        if size != self._size:
            raise DistributedError(
                f"process {member} says that it is one of {size}, the chief knows of {self._size}"
            )
        if taken:
            raise DistributedError(
                f"two processes say that they are number {member} of {size}; is another run using "
                "the same ports? Then give it another port_offset"
            )
        return True

    def _send(self, worker: bytes, kind: bytes, data: bytes = b"") -> None:
        try:
            send(self._router, [worker, kind], data)
        except zmq.ZMQError as error:
            raise DistributedError(f"process {self._workers[worker]} {_GONE}") from error


class Worker:
    """A member of a group other than the chief; see :class:`Framework`."""

    def __init__(
        self, context: Any, address: str, keys: Keys | None, member: int, size: int
    ) -> None:
        self._member = member
        self._size = size
        self._chief = f"the chief (process 0, {address})"
        self._patience = patience()
        self._first = b""  # object, until the chief answers
        self._joined = False
        self._refusals = 0
        self._socket = open_socket(context, zmq.DEALER, address, keys)
        self._socket.routing_id = f"{member}/{size}/{secrets.token_hex(8)}".encode()
        self._events = self._socket.get_monitor_socket()
        self._poller = zmq.Poller()
        self._poller.register(self._socket, zmq.POLLIN)
        self._poller.register(self._events, zmq.POLLIN)
        self._socket.connect(address)

    def allgather(self, data: bytes, *, to_all: bool = True) -> list[bytes]:
        """Send an object to the chief; return those of all."""
        if self._joined:
            self._send(_OBJECT, data)
        else:
            self._first = data  # sent when the handshake has succeeded
        objects = [self._receive() for _ in range(self._size)]
        objects[self._member] = data
        return objects

    def broadcast(self, data: bytes, size: int) -> bytes:
        """Return the object of the chief."""
        return self._receive()

    def fail(self, why: str) -> None:
        """Tell the chief why the group has failed."""
        self._send(_FAILURE, why.encode())

    def close(self) -> None:
        """Leave the group."""
        self._socket.disable_monitor()
        self._events.close(linger=0)
        self._socket.close(linger=2_000 if self._joined else 0)  # milliseconds, for ``fail``

    def _send(self, kind: bytes, data: bytes) -> None:
        with contextlib.suppress(zmq.Again):  # not connected, which ``_receive`` reports
            send(self._socket, [kind], data)

    def _receive(self) -> bytes:
        """Wait for an object from the chief.

        Raises:
            DistributedError: the group has failed, the chief is gone, or it is not that of the run.
        """
        until = time.monotonic() + self._patience
        while (left := until - time.monotonic()) > 0:
            ready = dict(self._poller.poll(int(left * 1000) + 1))
            # Before the events of the connection: the chief's last message says why it ended.
            if self._socket in ready:
                kind, *frames = self._socket.recv_multipart(copy=False)
                self._joined = kind.bytes != _FAILURE
                if not self._joined:
                    raise DistributedError(joined(frames).decode())
                if kind.bytes == _OBJECT:
                    return joined(frames)
                until = time.monotonic() + self._patience  # the chief waits, and names the late one
            elif self._events in ready:
                self._handle(zmq.Event(recv_monitor_message(self._events)["event"]))
        why = f"waited {self._patience:g} s, and nothing came from {self._chief}"
        raise DistributedError(f"{why}; {_SLOW}")

    def _handle(self, event: zmq.Event) -> None:
        if event == zmq.Event.HANDSHAKE_SUCCEEDED and not self._joined:
            # Again after a connection to the chief of the context before, which has closed it.
            self._send(_OBJECT, self._first)
        elif event == zmq.Event.DISCONNECTED and self._joined:
            self._joined = False
            raise DistributedError(f"{self._chief} {_GONE}")
        self._refusals += "HANDSHAKE_FAILED" in str(event.name)
        if self._refusals == 3:
            raise DistributedError(
                f"{self._chief} and this process do not accept each other: their keys differ, or "
                "what listens there is not the chief of this run"
            )
