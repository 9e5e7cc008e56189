"""Kill runs, damage checkpoints, hand in hostile inputs: ``nox -s campaign -- --minutes 20``."""
