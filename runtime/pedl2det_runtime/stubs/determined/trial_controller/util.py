"""``determined.trial_controller.util``: the rank of this process and its GPUs."""

from pedl2det_runtime.api.trial_info import current

__all__ = ["get_container_gpus", "get_rank"]


def get_rank() -> int:
    """The number of this process within the trial; 0 is the chief."""
    return current().rank


def get_container_gpus() -> list[str]:
    """The GPUs of this process; there are none here."""
    return []
