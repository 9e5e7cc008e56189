"""Proving that a trial trains the same before and after: two runs and their comparison."""
