"""``determined.core._distributed``: the path of the class in Determined's documentation."""

from pedl2det_runtime import refusals
from pedl2det_runtime.distributed import DistributedContext, DummyDistributedContext

__all__ = ["DistributedContext", "DummyDistributedContext"]

refusals.complete(__name__)
