"""``determined.trial_controller``: removed in Determined 0.12.2."""
