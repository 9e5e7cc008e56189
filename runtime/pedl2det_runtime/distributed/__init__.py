"""Who trains this trial, and what its processes tell each other: ``context.distributed``.

``layout``      which process this is, of which machine: pure
``group``       what every way of talking can do, and the group of one process
``collective``  who gives and who gets, and whether all asked for the same: pure
``zmq_groups``  sockets, for a context made by hand; ``horovod_groups``, ``torch_groups``
"""

from pedl2det_runtime.distributed.context import DistributedContext, one_process
from pedl2det_runtime.distributed.keys import new_key

__all__ = ["DistributedContext", "new_key", "one_process"]
