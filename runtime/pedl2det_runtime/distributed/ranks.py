"""Join the ranks that ``horovodrun`` started, copy a checkpoint to them, detect a lost rank."""

from __future__ import annotations

import io
import os
import tarfile
import tempfile
from pathlib import Path

from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.distributed import DistributedContext, DummyDistributedContext
from pedl2det_runtime.errors import ConfigError, RankLostError

_MESSAGES = ("Horovod has been shut down", "HorovodInternalError", "Connection closed by peer")


def is_rank() -> bool:
    """Return whether ``horovodrun`` started this process."""
    return "HOROVOD_RANK" in os.environ


def is_chief() -> bool:
    """Return whether this process reports: the only one, or rank 0."""
    return os.environ.get("HOROVOD_RANK", "0") == "0"


def join(slots: int | None) -> DistributedContext:
    """Join the other ranks, and load TensorFlow, if ``horovodrun`` started this process.

    Args:
        slots: the expected number of ranks; None for any.

    Raises:
        ConfigError: Horovod started another number of ranks.
    """
    if not is_rank():
        return DummyDistributedContext()
    keras_versions.choose_keras_2()
    keras_versions.load_tensorflow()
    import horovod.tensorflow as hvd

    hvd.init()
    if slots not in (None, hvd.size()):
        raise ConfigError(
            f"horovodrun started {hvd.size()} processes, and the run has {slots} slots: "
            f"start it with `pedl2det run --slots {hvd.size()}`"
        )
    return DistributedContext.from_horovod(
        hvd, chief_ip=os.environ.get("HOROVOD_GLOO_RENDEZVOUS_ADDR")
    )


def seen_by_all(path: Path, distributed: DistributedContext, last: str = "metadata.json") -> Path:
    """Return a local path of the chief's checkpoint; copy the checkpoint if necessary.

    Args:
        path: the path on the chief's machine.
        distributed: the ranks.
        last: the file that is written last; empty if no run is writing the checkpoint.
    """
    exists = (path / last).exists()
    if all(distributed.allgather(exists)):
        return path
    content = io.BytesIO()
    if distributed.rank == 0:
        with tarfile.open(fileobj=content, mode="w") as archive:
            archive.add(path, arcname=".")
    packed = distributed.broadcast(content.getvalue())
    copy = None
    if not exists and distributed.local_rank == 0:
        copy = tempfile.mkdtemp(prefix="pedl2det-checkpoint-")
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(copy, filter="data")
    shared = distributed.broadcast_local(copy)
    return path if shared is None else Path(shared)


def as_lost(error: BaseException) -> BaseException:
    """Convert an error of Horovod about a lost rank to :class:`RankLostError`; return others."""
    text = f"{type(error).__name__}: {error}"
    if not any(message in text for message in _MESSAGES):
        return error
    lost = RankLostError("another process of this training has ended")
    lost.__cause__ = error
    return lost
