"""``pedl.trial_controller``: where the ranks of a trial's processes were asked for."""
