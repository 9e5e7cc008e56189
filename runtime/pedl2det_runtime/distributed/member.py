"""One process of a group: it gives its part to the hub and waits for that of the others."""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import asdict
from typing import Any

from pedl2det_runtime.distributed import endpoint, messages, times
from pedl2det_runtime.distributed.collective import Collective, Step
from pedl2det_runtime.distributed.endpoint import Endpoint
from pedl2det_runtime.distributed.layout import Layout
from pedl2det_runtime.distributed.library import zmq
from pedl2det_runtime.distributed.pickled import from_bytes, to_bytes
from pedl2det_runtime.distributed.sockets import prepare
from pedl2det_runtime.errors import DistributedError

#: The hub says when patience is over, and names who is missing; these seconds later a member no
#: longer waits for that.
_FOR_THE_HUB = 2

#: Seconds that a goodbye may take; a hub that does not get it notices that the connection ends.
_GOODBYE = 2

#: After so many handshakes that came to nothing, what listens there is not our chief.
_HANDSHAKES = 3


class Member:
    """This process in a group that meets at an endpoint.

    Args:
        context: of ZeroMQ.
        where: the group's hub.
        member: the number of this process in the group.
        size: how many members the group has.
        layout: what this process says of itself.
        patience: how many seconds to wait for the last of the others.

    Attributes:
        layouts: what each member says of itself; the constructor waits for all.

    Raises:
        DistributedError: not all came.
    """

    def __init__(
        self,
        context: Any,
        where: Endpoint,
        *,
        member: int,
        size: int,
        layout: Layout,
        patience: float,
    ) -> None:
        self._member = member
        self._address = where.address
        self._patience = patience + _FOR_THE_HUB
        self._number = 0
        self._connected = False
        self._refusals = 0
        self._failure: str | None = None
        self._lock = threading.Lock()  # a socket is for one thread at a time
        self._socket = context.socket(zmq().DEALER)
        prepare(self._socket)
        self._socket.reconnect_ivl = 100
        self._socket.reconnect_ivl_max = 1000
        self._events = self._socket.get_monitor_socket()
        endpoint.connect(self._socket, where)
        who = messages.header(member=member, size=size, layout=asdict(layout))
        try:
            self._socket.send_multipart([messages.HELLO, who])
            frames = self._receive(messages.WELCOME, self._patience)
        except BaseException:
            self.close()
            raise
        self._connected = True  # within a process there is no handshake to say so
        said = messages.read_header(frames[0])
        self.layouts = [Layout(**layout) for layout in said["layouts"]]

    def exchange(self, collective: Collective, stuff: Any) -> list[Any]:
        """Take part in a collective; see :class:`Group`."""
        with self._lock:
            self._check()
            self._number += 1
            step = Step(self._number, collective)
            try:
                gift = messages.pieces(to_bytes(collective, self._member, stuff))
                message = [messages.GIVE, messages.step_header(step), *gift]
                self._socket.send_multipart(message, copy=False)
                head, *frames = self._receive(messages.ALL, self._patience)
            except BaseException as error:
                # Also Ctrl-C: what is on its way must not be taken for the answer to the next step.
                if self._failure is None:
                    self.fail(str(error) or f"process {self._member}: {type(error).__name__}")
                raise
        gifts: list[Any] = []
        for count in messages.read_header(head)["counts"]:
            gift, frames = frames[:count], frames[count:]
            gifts.append(from_bytes(messages.joined(gift)) if gift else None)
        if collective.gives(self._member):
            gifts[self._member] = stuff
        return gifts

    def fail(self, why: str) -> None:
        """Tell the others that this group has come to its end."""
        self._failure = why
        self._socket.send_multipart(messages.failure(why))

    def close(self) -> None:
        """Leave the group."""
        if self._connected:
            self._failure = None
            self._socket.send(messages.BYE)
            # Until the hub has it, or is gone: what is left unsent would be offered to whoever
            # listens there next.
            with contextlib.suppress(DistributedError):
                self._receive(messages.BYE, _GOODBYE)
        self._socket.disable_monitor()
        self._events.close(linger=0)
        self._socket.close(linger=0)

    def _check(self) -> None:
        if self._failure is not None:
            raise DistributedError(self._failure)

    def _receive(self, expected: bytes, patience: float) -> list[Any]:
        """Wait some seconds for a message of a kind.

        Raises:
            DistributedError: it will not come.
        """
        poller = zmq().Poller()
        poller.register(self._socket, zmq().POLLIN)
        poller.register(self._events, zmq().POLLIN)
        until = time.monotonic() + patience
        while time.monotonic() < until:
            ready = dict(poller.poll(1000))
            # Before what happened to the connection: the hub's last word says why.
            if self._socket in ready:
                received: list[Any] = self._socket.recv_multipart(copy=False)
                kind, frames = received[0], received[1:]
                if kind.bytes == expected:
                    return frames
                if kind.bytes == messages.FAIL:
                    self._failure = messages.read_failure(frames[0])
            elif self._events in ready:
                self._take_event()
            self._check()
        self._failure = (
            f"waited {patience:g} s, and nothing came from the chief at {self._address}; if "
            f"it is only slow, set ${times.PATIENCE_VARIABLE} to more seconds"
        )
        raise DistributedError(self._failure)

    def _take_event(self) -> None:
        """Draw the conclusion from what happened to the connection to the hub."""
        z = zmq()
        event = z.utils.monitor.recv_monitor_message(self._events)["event"]
        if event == z.EVENT_HANDSHAKE_SUCCEEDED:
            self._connected = True
        elif event == z.EVENT_DISCONNECTED and self._connected:
            self._connected = False
            self._failure = f"the chief (process 0, {self._address}) is gone"
        elif event in (
            z.EVENT_HANDSHAKE_FAILED_AUTH,
            z.EVENT_HANDSHAKE_FAILED_PROTOCOL,
            z.EVENT_HANDSHAKE_FAILED_NO_DETAIL,
        ):
            self._refusals += 1
            if self._refusals == _HANDSHAKES:
                self._failure = (
                    f"what listens at {self._address} and this process do not accept each other: "
                    "their keys differ, or it is not the chief of this run"
                )
