"""What shall become of a trial, before anything is written."""

from pedl2det.plan.plan import Change, Plan

__all__ = ["Change", "Plan"]
