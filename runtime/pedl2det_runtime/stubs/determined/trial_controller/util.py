"""``determined.trial_controller.util``: the rank of this process."""

from pedl2det_runtime.current import current

__all__ = ["get_rank"]


def get_rank() -> int:
    """The number of this process within the trial; 0 is the chief."""
    return current().rank
