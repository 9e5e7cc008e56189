"""The middle of a group: a thread of its chief, through which all that its members give passes.

Every collective is one round: each member gives, nobody gets before all gave. So nothing piles up,
and whoever asks for something else than the others is noticed before anybody reads a wrong answer.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from pedl2det_runtime.distributed import endpoint, messages, times
from pedl2det_runtime.distributed.collective import Collective
from pedl2det_runtime.distributed.endpoint import Endpoint
from pedl2det_runtime.distributed.library import zmq
from pedl2det_runtime.distributed.rounds import Rounds
from pedl2det_runtime.distributed.sockets import prepare
from pedl2det_runtime.errors import DistributedError

#: Where the chief itself meets its hub, within their process; and where it tells it to end.
INSIDE = "inproc://hub"
_END = "inproc://end"


#: Seconds between two looks whether all are still there: while one is waited for, and for some
#: seconds after a connection ended, since its end is told before it can be seen.
_LOOK = 0.2
_LOOKS_FOR = 5


class Hub:
    """Serves a group until its chief leaves.

    Args:
        context: of ZeroMQ, with whatever authenticates members.
        where: on what to listen.
        size: how many members there are.
        patience: how many seconds the first may wait for the last.

    Raises:
        DistributedError: it cannot listen there.
    """

    def __init__(self, context: Any, where: Endpoint, size: int, patience: float) -> None:
        self._rounds = Rounds(size)
        self._patience = patience
        self._failure: str | None = None
        self._waiting_since: float | None = time.monotonic()
        self._look_until = 0.0
        self._looked = 0.0
        self._lost_one = False
        self._router = context.socket(zmq().ROUTER)
        self._router.router_mandatory = True  # so that sending to a lost member is an error
        prepare(self._router)
        self._router.linger = times.LINGER * 1000
        try:
            self._lock = endpoint.bind(self._router, where)
        except DistributedError:
            self._router.close(linger=0)
            raise
        self._router.bind(INSIDE)
        self._end = context.socket(zmq().PAIR)
        self._end.bind(_END)
        self._ending = context.socket(zmq().PAIR)
        self._ending.connect(_END)
        self._lost = self._router.get_monitor_socket(zmq().EVENT_DISCONNECTED)
        self._thread = threading.Thread(target=self._serve, name="pedl2det-hub", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Tell the members that it is over, and end."""
        self._ending.send(b"")
        self._thread.join()
        self._ending.close(linger=0)

    def _serve(self) -> None:
        poller = zmq().Poller()
        poller.register(self._router, zmq().POLLIN)
        poller.register(self._lost, zmq().POLLIN)
        poller.register(self._end, zmq().POLLIN)
        ready: dict[Any, int] = {}
        try:
            while self._end not in ready:
                ready = dict(poller.poll(_LOOK * 1000))
                if self._router in ready:
                    self._receive()
                if self._lost in ready:
                    self._lost.recv_multipart()
                    self._look_until = time.monotonic() + _LOOKS_FOR
                self._look_for_the_lost()
                self._check_patience()
        finally:
            self._fail("the chief (process 0) has closed its DistributedContext or ended")
            self._router.disable_monitor()
            self._lost.close(linger=0)
            self._end.close(linger=0)
            # What is left for a lost process keeps the socket open; for the others it is short.
            self._router.close(linger=times.LAST_WORDS * 1000 if self._lost_one else None)
            if self._lock is not None:
                self._lock.close()

    def _receive(self) -> None:
        sender, *frames = self._router.recv_multipart(copy=False)
        try:
            self._handle(sender.bytes, frames[0].bytes, frames[1:])
        except DistributedError as error:
            self._fail(str(error), and_to=sender.bytes)
        except Exception as error:
            # A thread has nobody to raise to; whatever it was, nobody may wait for it.
            self._fail(f"unexpected message ({error!r}); do all run the same version?")

    def _handle(self, identity: bytes, kind: bytes, frames: list[Any]) -> None:
        rounds = self._rounds
        if kind == messages.BYE:
            self._send(identity, [messages.BYE])
            rounds.leave(identity)
        elif self._failure is not None:
            self._send(identity, messages.failure(self._failure))
        elif kind == messages.HELLO:
            who = messages.read_header(frames[0])
            if rounds.come(who["member"], who["size"], identity, who["layout"]):
                self._waiting_since = None
                layouts = [rounds.layouts[member] for member in range(rounds.size)]
                self._tell_all([messages.WELCOME, messages.header(layouts=layouts)])
        elif kind == messages.GIVE:
            self._waiting_since = self._waiting_since or time.monotonic()
            if rounds.give(identity, messages.read_step(frames[0]), frames[1:]):
                self._answer()
        elif kind == messages.FAIL:
            self._fail(messages.read_failure(frames[0]))

    def _answer(self) -> None:
        rounds = self._rounds
        step = rounds.steps[0]
        collective = Collective(step.collective)
        self._waiting_since = None
        for member, identity in rounds.members.items():
            # Each gets what the others gave: what it gave itself it has.
            gifts = [
                gift if collective.gets(member) and giver != member else []
                for giver, gift in sorted(rounds.gifts.items())
            ]
            head = messages.header(number=step.number, counts=[len(gift) for gift in gifts])
            frames = [frame for gift in gifts for frame in gift]
            self._send(identity, [messages.ALL, head, *frames])
        rounds.end()

    def _look_for_the_lost(self) -> None:
        now = time.monotonic()
        wanted = self._waiting_since is not None or now < self._look_until
        if wanted and now - self._looked > _LOOK:
            self._looked = now
            # Strangers who were refused also disconnect: who of ours is gone, cannot be sent to.
            self._tell_all([messages.STILL_THERE])

    def _check_patience(self) -> None:
        since = self._waiting_since
        if since is not None and time.monotonic() - since > self._patience:
            missing = ", ".join(map(str, self._rounds.missing()))
            self._fail(
                f"waited {self._patience:g} s for process {missing}; if it is only slow, set "
                f"${times.PATIENCE_VARIABLE} to more seconds"
            )

    def _fail(self, why: str, and_to: bytes | None = None) -> None:
        if self._failure is not None:
            return
        self._failure = why
        self._waiting_since = None
        self._rounds.end()
        told = messages.failure(why)
        self._tell_all(told)
        if and_to is not None and and_to not in self._rounds.members.values():
            self._send(and_to, told)

    def _tell_all(self, frames: list[bytes]) -> None:
        for identity in self._rounds.there().values():
            self._send(identity, frames)

    def _send(self, identity: bytes, frames: list[Any]) -> None:
        try:
            self._router.send_multipart([identity, *frames], copy=False)
        except zmq().ZMQError:
            known = self._rounds.there()
            gone = [member for member, of in known.items() if of == identity]
            if gone:
                self._lost_one = True
                self._fail(f"process {gone[0]} is gone: its connection ended without a goodbye")
