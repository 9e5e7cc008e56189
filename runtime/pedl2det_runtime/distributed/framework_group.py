"""The collectives of objects, over a transport of bytes: Horovod, torch.distributed or sockets."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Protocol

from pedl2det_runtime.distributed.collective import Collective, Step, disorder
from pedl2det_runtime.distributed.deadline import PATIENCE_VARIABLE, Result, within
from pedl2det_runtime.distributed.pickled import from_bytes, to_bytes
from pedl2det_runtime.errors import DistributedError


class Framework(Protocol):
    """The transport of a group: collectives of bytes."""

    def allgather(self, data: bytes, *, to_all: bool = True) -> list[Any]:
        """Return the buffers of all members, in order; to member 0 alone unless ``to_all``."""

    def broadcast(self, data: bytes, size: int) -> Any:
        """Return the buffer of member 0, which has that size."""


class FrameworkGroup:
    """Processes that a framework connects.

    Before each collective the members compare what they called: a framework whose members call
    different collectives mixes up their data or waits for ever.

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
                # Also Ctrl-C: the others may be waiting in the middle of this one.
                self._failure = str(error) or type(error).__name__
                raise
        gifts = [
            from_bytes(part) if len(part) and member != self._member else None
            for member, part in enumerate(parts)
        ]
        if collective.gives(self._member):
            gifts[self._member] = stuff
        return gifts

    def _exchange(self, collective: Collective, stuff: Any) -> Sequence[Any]:
        self._number += 1
        wrong: DistributedError | None = None
        data = b""
        try:
            data = to_bytes(collective, self._member, stuff)
        except DistributedError as error:
            wrong = error
        step = Step(self._number, collective)
        label = {"step": asdict(step), "size": len(data), "wrong": str(wrong) if wrong else None}
        texts = self._call(lambda: self._framework.allgather(json.dumps(label).encode()))
        if wrong is not None:
            raise wrong
        labels = [json.loads(bytes(text)) for text in texts]
        _check(labels)
        if collective.is_broadcast:
            size = labels[0]["size"]
            first = self._call(lambda: self._framework.broadcast(data, size))
            return [first, *[b""] * (len(labels) - 1)]
        to_all = collective.gets(1)
        parts = self._call(lambda: self._framework.allgather(data, to_all=to_all))
        return parts if collective.gets(self._member) else [b""] * len(labels)

    def _call(self, collective: Callable[[], Result]) -> Result:
        try:
            return within(self._patience, collective)
        except TimeoutError as error:
            raise DistributedError(
                f"waited {self._patience:g} s for the other processes; if one is only slow, set "
                f"${PATIENCE_VARIABLE} to more seconds"
            ) from error
        except Exception as error:
            # Each framework has its own class for it: UnknownError, HorovodInternalError, ...
            raise DistributedError(
                f"the others cannot be reached, most likely since one of them ended: {error}"
            ) from error


def _check(labels: Sequence[dict[str, Any]]) -> None:
    steps = {member: Step(**label["step"]) for member, label in enumerate(labels)}
    if (wrong := disorder(steps)) is not None:
        raise DistributedError(wrong)
    for label in labels:
        if label["wrong"] is not None:
            raise DistributedError(label["wrong"])


class Part:
    """Some members of a group whose transport connects all of them only together.

    Every process of the whole group must take part, each in its own part.

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
        gift = (collective.value, stuff if collective.gives(self._member) else None)
        asked, gifts = zip(*self._whole.exchange(Collective.ALLGATHER_LOCAL, gift), strict=True)
        if len(set(asked)) > 1:
            raise DistributedError(f"the processes do not ask for the same: {sorted(set(asked))}")
        return [gifts[rank] for rank in self._ranks]
