"""``pedl.trial_controller``: getters of ranks."""

from pedl.trial_controller import util

__all__ = ["util"]
