"""Training on several processes: ``context.distributed``, gradients, decisions of all ranks.

``context``          ``DistributedContext``, which a trial uses
``layout``           the ranks and sizes of a process: pure
``framework_group``  collectives of objects, over one of three transports of bytes:
                     ``horovod_groups``, ``torch_groups`` and ``socket_groups``
``members``          the chief and the workers of ``socket_groups``, over ``connections``
``team``             decisions and averages over the ranks, for the training loop
"""

from pedl2det_runtime.distributed.context import (
    DistributedContext,
    DummyDistributedContext,
    one_process,
)
from pedl2det_runtime.distributed.key import new_key

__all__ = ["DistributedContext", "DummyDistributedContext", "new_key", "one_process"]
