"""The ranks that ``$TF_CONFIG`` describes. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pedl2det_runtime.distributed.layout import Layout
from pedl2det_runtime.errors import CheckFailedError


@dataclass(frozen=True)
class Address:
    """Where the chief's TensorFlow listens."""

    host: str
    port: int


def layout_of_tf_config(text: str) -> tuple[Layout, Address | None]:
    """Return the layout of this process, and the address of the chief if there are several.

    Every worker is a machine of its own, because ``MultiWorkerMirroredStrategy`` has one process on
    each. Without a cluster there is one process.

    Args:
        text: the value of ``$TF_CONFIG``.

    Raises:
        CheckFailedError: it is malformed.
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
        address = Address(host.strip("[]"), int(port))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CheckFailedError(
            f"$TF_CONFIG: expected a cluster of workers, and task.type and task.index: {error}"
        ) from None
    return Layout(rank, len(workers), 0, 1, rank, len(workers)), address
