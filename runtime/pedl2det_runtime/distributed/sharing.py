"""A checkpoint that only some of the machines can see, made visible to all."""

from __future__ import annotations

import io
import tarfile
import tempfile
from pathlib import Path

from pedl2det_runtime.distributed import DistributedContext


def seen_by_all(path: Path, distributed: DistributedContext) -> Path:
    """Where this machine finds the chief's checkpoint; copied to where it is not found.

    Args:
        path: where the chief has it.
        distributed: the ranks.
    """
    sees = (path / "metadata.json").exists()
    if all(distributed.allgather(sees)):
        return path
    packed = distributed.broadcast(_packed(path) if distributed.rank == 0 else None)
    copy = None
    if not sees and distributed.local_rank == 0:
        copy = tempfile.mkdtemp(prefix="pedl2det-checkpoint-")
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(copy, filter="data")
    shared = distributed.broadcast_local(copy)
    return path if shared is None else Path(shared)


def _packed(path: Path) -> bytes:
    image = io.BytesIO()
    with tarfile.open(fileobj=image, mode="w") as archive:
        archive.add(path, arcname=".")
    return image.getvalue()
