"""Prove that a trial trains the same after its migration: train both and compare."""

from pedl2det.verify.prove import verify_trial
from pedl2det.verify.series import Series
from pedl2det.verify.verdict import Conclusion, Verdict

__all__ = ["Conclusion", "Series", "Verdict", "verify_trial"]
