"""Training on several processes: ``context.distributed``, gradients, decisions of all ranks.

``context``          ``DistributedContext``, which a trial uses
``layout``           the ranks and sizes of a process: pure
``process_groups``   collectives of objects, over one of two transports of bytes:
                     ``horovod_groups`` and ``socket_groups``
``connections``      of processes that have the secret of the run, for ``socket_groups``
``ranks``            what ``horovodrun`` started; ``horovodrun_output`` is what it prints
``rank_sync``        decisions and averages over the ranks, for the training loop
"""

from pedl2det_runtime.distributed.connections import new_key
from pedl2det_runtime.distributed.context import DistributedContext, DummyDistributedContext

__all__ = ["DistributedContext", "DummyDistributedContext", "new_key"]
