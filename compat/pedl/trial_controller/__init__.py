"""``pedl.trial_controller``: getters of ranks."""

from pedl.trial_controller import util
from pedl2det_runtime import refusals

__all__ = ["util"]

refusals.complete(__name__)
