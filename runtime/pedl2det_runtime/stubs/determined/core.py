"""``determined.core``: what Keras trials use of it."""

from pedl2det_runtime.distributed import DistributedContext

__all__ = ["DistributedContext"]
