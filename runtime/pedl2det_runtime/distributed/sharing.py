"""Copy a checkpoint from the chief to machines without a shared file system."""

from __future__ import annotations

import io
import tarfile
import tempfile
from pathlib import Path

from pedl2det_runtime.distributed import DistributedContext


def seen_by_all(path: Path, distributed: DistributedContext, last: str = "metadata.json") -> Path:
    """Return a local path of the chief's checkpoint; copy the checkpoint if necessary.

    Args:
        path: the path on the chief's machine.
        distributed: the context of this process.
        last: the file that is written last; empty if no run is writing the checkpoint.
    """
    exists = (path / last).exists()
    if all(distributed.allgather(exists)):
        return path
    packed = distributed.broadcast(_packed(path) if distributed.rank == 0 else None)
    copy = None
    if not exists and distributed.local_rank == 0:
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
