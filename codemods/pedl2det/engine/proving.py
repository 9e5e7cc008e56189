"""Prove finished trials by running them, and take back what does not train the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pedl2det.engine.result import Result
from pedl2det.findings import Finding, Kind

RULE = "verify"


@dataclass(frozen=True)
class Verdict:
    """Whether a trial trains the same after its migration.

    Attributes:
        is_equal: whether it does.
        message: what was compared, or what differs first.
    """

    is_equal: bool
    message: str


#: Trains a trial and its migrated copy; is given the trial's directory and its config, if any.
Verify = Callable[[Path, Path | None], Verdict]


def prove(result: Result, verify: Verify) -> Result:
    """Return the result without the trials that do not train the same.

    Nothing is written yet: ``verify`` migrates a copy of the trial.

    Args:
        result: what the migration would write.
        verify: compares a trial and its migrated copy.
    """
    for number, outcome in enumerate(result.outcomes):
        if outcome.status.is_finished and outcome.written:
            config = outcome.configs[0] if outcome.configs else None
            verdict = verify(outcome.directory, config)
            if not verdict.is_equal:
                message = f"the migrated trial does not train the same: {verdict.message}"
                finding = Finding(Kind.LEFT, RULE, outcome.directory, 1, message)
                result = result.without(number, finding)
    return result
