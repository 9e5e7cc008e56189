"""Hyperparameter searches: choose trials and their lengths, run each in its own process.

Follows the Determined documentation, *Hyperparameter Tuning* (docs/searches.md).
"""
