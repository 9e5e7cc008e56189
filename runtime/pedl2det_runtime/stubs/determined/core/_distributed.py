"""``determined.core._distributed``: where the documents name the class."""

from pedl2det_runtime.distributed import DistributedContext

__all__ = ["DistributedContext"]
