"""Prove that a trial trains the same after its migration: train both and compare."""

from pedl2det.verify.prove import verify_trial
from pedl2det.verify.verdict import CheckedAssumption, Conclusion, Verdict

__all__ = ["CheckedAssumption", "Conclusion", "Verdict", "verify_trial"]
