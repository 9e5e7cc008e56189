"""``determined.core``: what Keras trials use of it."""

from determined.core._distributed import DistributedContext

__all__ = ["DistributedContext"]
