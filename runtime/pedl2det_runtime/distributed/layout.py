"""Ranks and sizes of processes, and checks of their consistency. Pure functions."""

from __future__ import annotations

import ipaddress
import json
import operator
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pedl2det_runtime.errors import CheckFailedError, DistributedError

#: The environment variable of the chief's address, if it is not an argument.
CHIEF_IP = "DET_CHIEF_IP"


@dataclass(frozen=True)
class Layout:
    """The ranks and sizes of one process.

    Raises:
        CheckFailedError: the numbers are inconsistent.
    """

    rank: int  #: the rank of the process
    size: int  #: the number of processes
    local_rank: int  #: the rank of the process on its machine
    local_size: int  #: the number of processes on its machine
    cross_rank: int  #: the rank of its machine
    cross_size: int  #: the number of machines

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if isinstance(value, bool) or not isinstance(value, int):
                raise _wrong(f"{name}: expected a whole number, got {value!r}")
        for rank_name in ("rank", "local_rank", "cross_rank"):
            size_name = rank_name.replace("rank", "size")
            rank, size = getattr(self, rank_name), getattr(self, size_name)
            if size < 1:
                raise _wrong(f"{size_name}: expected 1 or more, got {size}")
            if not 0 <= rank < size:
                raise _wrong(f"{rank_name}: expected 0 to {size - 1} ({size_name} - 1), got {rank}")
        if self.size != self.local_size * self.cross_size:
            raise _wrong(
                f"size {self.size} is not local_size {self.local_size} times cross_size "
                f"{self.cross_size}: every machine must have the same number of processes"
            )
        if self.cross_size == 1 and self.rank != self.local_rank:
            raise _wrong(
                f"rank {self.rank} and local_rank {self.local_rank} must be equal on one machine"
            )
        if self.rank == 0 and self.local_rank != 0:
            raise _wrong(f"the chief (rank 0) must have local_rank 0, got {self.local_rank}")


def _wrong(what: str) -> CheckFailedError:
    return CheckFailedError(f"DistributedContext: {what}")


def machines(layouts: Sequence[Layout]) -> list[list[int]]:
    """Return the ranks on each machine, in the order of their local ranks.

    Args:
        layouts: the layouts of all processes, in any order.

    Raises:
        DistributedError: the layouts are inconsistent.
    """
    for name in ("size", "local_size", "cross_size"):
        values = sorted({getattr(layout, name) for layout in layouts})
        if len(values) > 1:
            raise DistributedError(f"the processes disagree about {name}: {values}")
    for names in (("rank",), ("cross_rank", "local_rank")):
        for place, times in Counter(map(operator.attrgetter(*names), layouts)).items():
            if times > 1:
                raise DistributedError(
                    f"{times} processes have the same {' and '.join(names)}: {place}"
                )
    if layouts[0].size != len(layouts):
        raise DistributedError(f"size is {layouts[0].size}, but {len(layouts)} processes connected")
    by_place = {(layout.cross_rank, layout.local_rank): layout.rank for layout in layouts}
    return [
        [by_place[machine, place] for place in range(layouts[0].local_size)]
        for machine in range(layouts[0].cross_size)
    ]


def layout_from(names: Sequence[str], launcher: str) -> Layout:
    """Read the layout that a launcher wrote into the environment.

    Args:
        names: the variables for the attributes of :class:`Layout`, in their order.
        launcher: its name, for error messages.

    Raises:
        CheckFailedError: a variable is missing or not a number.
    """
    values = []
    for name in names:
        try:
            values.append(int(os.environ[name]))
        except (KeyError, ValueError):
            got = repr(os.environ.get(name, "nothing"))
            raise _wrong(
                f"${name}: expected a whole number, got {got}; start the script with {launcher}, "
                "which sets it"
            ) from None
    return Layout(*values)


def chief_address(layout: Layout, chief_ip: str | None) -> str | None:
    """Return the address of the chief: the argument, or ``$DET_CHIEF_IP``.

    Raises:
        CheckFailedError: there are several machines and neither is set.
    """
    address = chief_ip or os.environ.get(CHIEF_IP)
    if layout.cross_size > 1 and not address:
        raise _wrong(
            f"{layout.cross_size} machines need the address of the machine with rank 0: pass "
            f"chief_ip, or set ${CHIEF_IP}"
        )
    return address


def is_loopback(host: str | None) -> bool:
    """Return whether an address can be reached only from its own machine."""
    if host == "localhost":
        return True
    try:
        return host is not None and ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def layout_of_tf_config(text: str) -> tuple[Layout, tuple[str, int] | None]:
    """Read ``$TF_CONFIG``; return the layout of this process, and the chief's host and port.

    Every worker is a machine of its own, because ``MultiWorkerMirroredStrategy`` has one process on
    each. Without a cluster there is one process, and no chief.

    Raises:
        CheckFailedError: ``$TF_CONFIG`` is malformed.
    """
    try:
        config: dict[str, Any] = json.loads(text)
        cluster, task = config.get("cluster") or {}, config.get("task") or {}
        chiefs = list(cluster.get("chief") or [])
        workers = [*chiefs, *(cluster.get("worker") or [])]
        if len(workers) < 2:
            return Layout(0, 1, 0, 1, 0, 1), None
        kind, rank = task["type"], int(task["index"])
        if kind not in ("chief", "worker"):
            raise ValueError(f"task.type: expected chief or worker, got {kind!r}")
        rank += len(chiefs) if kind == "worker" else 0
        host, _, port = str(workers[0]).rpartition(":")
        address = host.strip("[]"), int(port)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CheckFailedError(
            f"$TF_CONFIG: expected a cluster of workers, and task.type and task.index: {error}"
        ) from None
    return Layout(rank, len(workers), 0, 1, rank, len(workers)), address
