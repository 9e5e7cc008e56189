"""``determined.core``: the part that Keras trials use."""

from determined.core._distributed import DistributedContext

__all__ = ["DistributedContext"]
