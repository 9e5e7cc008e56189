"""Searches over hyperparameters: which trials, how long, in processes of their own.

Follows the Determined documentation, *Hyperparameter Tuning* (docs/searches.md).
"""
