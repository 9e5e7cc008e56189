"""``pedl.trial_controller``: where the ranks of a trial's processes were asked for."""

from pedl.trial_controller import util

__all__ = ["util"]
