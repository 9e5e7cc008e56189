"""``determined.horovod``: Horovod, once a framework is chosen."""

from pedl2det_runtime import refusals
from pedl2det_runtime.distributed.chosen_horovod import ChosenHorovod

hvd = ChosenHorovod()

__all__ = ["hvd"]

refusals.complete(__name__)
