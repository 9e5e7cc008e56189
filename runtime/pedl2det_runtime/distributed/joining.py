"""How a process learns which of the ranks it is."""

from __future__ import annotations

import os

from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.distributed import DistributedContext, one_process
from pedl2det_runtime.errors import ConfigError


def is_rank() -> bool:
    """Whether ``horovodrun`` started this process."""
    return "HOROVOD_RANK" in os.environ


def is_chief() -> bool:
    """Whether this process reports: the only one, or the first of the ranks."""
    return os.environ.get("HOROVOD_RANK", "0") == "0"


def join(slots: int | None) -> DistributedContext:
    """Join the other ranks, if ``horovodrun`` started any; loads TensorFlow then.

    Args:
        slots: how many there should be; None for any number.

    Raises:
        ConfigError: Horovod started another number of them.
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
