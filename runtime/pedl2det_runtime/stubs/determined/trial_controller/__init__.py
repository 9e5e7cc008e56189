"""``determined.trial_controller``: removed in Determined 0.12.2."""

from pedl2det_runtime import refusals

refusals.complete(__name__)
