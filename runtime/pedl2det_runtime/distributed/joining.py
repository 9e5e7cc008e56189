"""Join the ranks that ``horovodrun`` started."""

from __future__ import annotations

import os

from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.distributed import DistributedContext, one_process
from pedl2det_runtime.errors import ConfigError


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
        return one_process()
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
