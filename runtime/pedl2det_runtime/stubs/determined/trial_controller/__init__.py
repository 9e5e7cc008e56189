"""``determined.trial_controller``: until Determined 0.12.2."""
