"""Groups of processes that exchange objects over Horovod or sockets."""

from __future__ import annotations

import json
import os
import pickle
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeVar

from pedl2det_runtime.errors import CheckFailedError, DistributedError

#: The environment variable that overrides the 600 s for which a process waits for a late one.
PATIENCE_VARIABLE = "PEDL2DET_PATIENCE"

Result = TypeVar("Result")


class Collective(StrEnum):
    """One method of ``DistributedContext``. Member 0 of a group is its chief."""

    GATHER = "gather"
    GATHER_LOCAL = "gather_local"
    ALLGATHER = "allgather"
    ALLGATHER_LOCAL = "allgather_local"
    BROADCAST = "broadcast"
    BROADCAST_LOCAL = "broadcast_local"

    @property
    def is_local(self) -> bool:
        """Whether only the processes of this machine take part."""
        return self.endswith("_local")

    @property
    def is_broadcast(self) -> bool:
        """Whether only the chief sends."""
        return self in (Collective.BROADCAST, Collective.BROADCAST_LOCAL)

    def sends(self, member: int) -> bool:
        """Whether a member sends an object."""
        return member == 0 or not self.is_broadcast

    def receives(self, member: int) -> bool:
        """Whether a member receives the objects of the others."""
        return member == 0 or self not in (Collective.GATHER, Collective.GATHER_LOCAL)


class Step(NamedTuple):
    """One call of a collective by a member: its number within the group, and the method."""

    number: int
    collective: str

    def __str__(self) -> str:
        return f"{self.collective}() as collective number {self.number}"


def check_order(steps: Sequence[Step]) -> None:
    """Check that the members' calls are the same.

    Raises:
        DistributedError: they differ; the message says how.
    """
    for member, step in enumerate(steps):
        if step != steps[0]:
            raise DistributedError(
                f"the processes called different collectives: process 0 called {steps[0]}, "
                f"process {member} called {step}; every process must call the same methods in the "
                "same order"
            )


class Group(Protocol):
    """Processes that exchange objects; this process is a member."""

    def exchange(self, collective: Collective, stuff: Any) -> list[Any]:
        """Take part in a collective; return when all members have.

        Args:
            collective: the method; every member must call the same one.
            stuff: the object of this member.

        Returns:
            The objects of all members; None for those that this member does not receive.

        Raises:
            DistributedError: not all members took part.
        """


@dataclass(frozen=True)
class Groups:
    """The groups of one process."""

    everywhere: Group  #: all processes
    machine: Group  #: the processes of this machine
    close: Callable[[], None]  #: leaves the groups; called once


class Alone:
    """A group of one process."""

    def exchange(self, collective: Collective, stuff: Any) -> list[Any]:
        """See :class:`Group`."""
        return [stuff]


def alone() -> Groups:
    """Return the groups of a process that trains alone."""
    return Groups(Alone(), Alone(), close=lambda: None)


def patience() -> float:
    """Return how many seconds to wait for a late process.

    Raises:
        CheckFailedError: ``$PEDL2DET_PATIENCE`` is not a positive number of seconds.
    """
    text = os.environ.get(PATIENCE_VARIABLE, "600")
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise CheckFailedError(f"${PATIENCE_VARIABLE}: expected seconds, more than 0, got {text!r}")
    return seconds


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """Call a function in a thread, which is abandoned when the time is up.

    A collective of a framework waits for its peers in C++ without a limit.

    Raises:
        TimeoutError: the call did not end in time.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="pedl2det-collective", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return results[0]


class Framework(Protocol):
    """The transport of a group: collectives of bytes."""

    def allgather(self, data: bytes, *, to_all: bool = True) -> list[Any]:
        """Return the buffers of all members, in order; only to member 0 unless ``to_all``."""

    def broadcast(self, data: bytes, size: int) -> Any:
        """Return the buffer of member 0, which has ``size`` bytes."""


class FrameworkGroup:
    """Processes that a framework connects.

    Before each collective the members compare what they called: a framework whose members call
    different collectives mixes up their data or never returns.

    Args:
        framework: the transport.
        member: the number of this process in the group.
        patience: how many seconds to wait for a late member.
    """

    def __init__(self, framework: Framework, member: int, patience: float) -> None:
        self._framework = framework
        self._member = member
        self._patience = patience
        self._number = 0
        self._failure: str | None = None
        self._lock = threading.Lock()

    def exchange(self, collective: Collective, stuff: Any) -> list[Any]:
        """Take part in a collective; see :class:`Group`."""
        with self._lock:
            if self._failure is not None:
                raise DistributedError(self._failure)
            try:
                parts = self._exchange(collective, stuff)
            except BaseException as error:
                # Also Ctrl-C: the others may be waiting in the middle of this collective.
                self._failure = str(error) or type(error).__name__
                raise
        # The bytes come from an authenticated process of this run.
        objects = [
            pickle.loads(part) if len(part) and member != self._member else None  # noqa: S301
            for member, part in enumerate(parts)
        ]
        if collective.sends(self._member):
            objects[self._member] = stuff
        return objects

    def _exchange(self, collective: Collective, stuff: Any) -> Sequence[Any]:
        self._number += 1
        data = b""
        wrong: str | None = None
        try:
            if collective.sends(self._member):
                data = pickle.dumps(stuff, protocol=5)
        except Exception as error:  # pickling calls code of the object
            wrong = (
                f"{collective}: process {self._member} sends an object that cannot be pickled "
                f"({type(stuff).__name__}): {error}"
            )
        step = Step(self._number, collective)
        label = {"step": step, "size": len(data), "wrong": wrong}
        texts = self._call(lambda: self._framework.allgather(json.dumps(label).encode()))
        if wrong is not None:
            raise DistributedError(wrong)
        labels = [json.loads(bytes(text)) for text in texts]
        check_order([Step(*label["step"]) for label in labels])
        for label in labels:
            if label["wrong"] is not None:
                raise DistributedError(label["wrong"])
        if collective.is_broadcast:
            size = labels[0]["size"]
            first = self._call(lambda: self._framework.broadcast(data, size))
            return [first, *[b""] * (len(labels) - 1)]
        to_all = collective.receives(1)
        parts = self._call(lambda: self._framework.allgather(data, to_all=to_all))
        return parts if collective.receives(self._member) else [b""] * len(labels)

    def _call(self, call: Callable[[], Result]) -> Result:
        try:
            return within(self._patience, call)
        except TimeoutError as error:
            raise DistributedError(
                f"waited {self._patience:g} s for the other processes; if one is only slow, set "
                f"${PATIENCE_VARIABLE} to more seconds"
            ) from error
        except Exception as error:
            # Each framework has its own class for it: UnknownError, HorovodInternalError, ...
            raise DistributedError(
                f"the others cannot be reached, most likely because one of them ended: {error}"
            ) from error


class Part:
    """Some members of a group. All members of the group must take part, each in its own part.

    Args:
        whole: the group.
        ranks: the members of this part, in order.
        member: the number of this process in the part.
    """

    def __init__(self, whole: FrameworkGroup, ranks: Sequence[int], member: int) -> None:
        self._whole = whole
        self._ranks = ranks
        self._member = member

    def exchange(self, collective: Collective, stuff: Any) -> list[Any]:
        """Take part in a collective; see :class:`Group`."""
        label = (collective.value, stuff if collective.sends(self._member) else None)
        called, objects = zip(*self._whole.exchange(Collective.ALLGATHER_LOCAL, label), strict=True)
        if len(set(called)) > 1:
            names = ", ".join(sorted(set(called)))
            raise DistributedError(f"the processes called different collectives: {names}")
        return [objects[rank] for rank in self._ranks]
