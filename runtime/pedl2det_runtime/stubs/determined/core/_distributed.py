"""``determined.core._distributed``: the path of the class in Determined's documentation."""

from pedl2det_runtime.distributed import DistributedContext

__all__ = ["DistributedContext"]
