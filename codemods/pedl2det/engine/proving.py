"""Prove rewritten trials by running them, and take back what does not train the same.

A trial whose rewrite is refuted is carried over whole (P034), and proved again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from pedl2det.engine.result import Outcome, Proof, Result, Status
from pedl2det.findings import Finding, Kind

RULE = "verify"


class Verdict(Protocol):
    """Whether a trial trains the same after its migration."""

    @property
    def is_equal(self) -> bool:
        """Whether it does."""

    @property
    def refutes(self) -> bool:
        """Whether the rewrite is wrong, rather than that nothing could be shown of it."""

    @property
    def message(self) -> str:
        """What was compared, what differs, or why a trial does not train."""

    @property
    def proof(self) -> Proof | None:
        """What reports show of it."""


class Verify(Protocol):
    """Trains a trial as it is, and as a result would write it."""

    def __call__(self, directory: Path, *, result: Result) -> Verdict:
        """Compare the trial in a directory with what it becomes."""


def is_to_prove(outcome: Outcome) -> bool:
    """Return whether a trial can be proved: nothing of it is left, and it would be written."""
    return outcome.status.is_finished and outcome.written


def prove(
    result: Result,
    verify: Verify,
    carry: Callable[[], Result] | None = None,
    *,
    only_proved: bool = True,
) -> Result:
    """Return the result without the trials that do not train the same.

    Nothing is written yet: ``verify`` writes the result into a copy of the trial.

    Args:
        result: what the migration would write.
        verify: compares a trial and its migrated copy.
        carry: what the migration would write if all trials were carried over whole.
        only_proved: leave out what could not be compared as well, and not only what is refuted.
    """
    proved = result
    carried: Result | None = None
    for number, outcome in enumerate(result.outcomes):
        if not is_to_prove(outcome):
            continue
        verdict = verify(outcome.directory, result=result)
        if verdict.refutes and carry is not None:
            carried = carried or carry()
            other = carried.of_trial(outcome.directory)
            if other is not None and is_to_prove(other.outcomes[0]):
                why = f"in the second form, because the first was refuted: {verdict.message}"
                other.findings.append(Finding(Kind.NOTE, RULE, outcome.directory, 1, why))
                again = verify(outcome.directory, result=other)
                if again.is_equal:
                    verdict, proved = again, proved.instead(number, other)
        outcomes = list(proved.outcomes)
        outcomes[number] = replace(outcomes[number], proof=verdict.proof)
        proved = replace(proved, outcomes=outcomes)
        if verdict.is_equal:
            proved = _with_proof(proved, number)
        elif verdict.refutes or only_proved:
            message = f"not proved to train the same, and not written: {verdict.message}"
            finding = Finding(Kind.LEFT, RULE, outcome.directory, 1, message)
            proved = proved.without(number, finding)
    return proved


def _with_proof(result: Result, number: int) -> Result:
    """The result with the assumptions of a trial as facts."""
    outcomes = list(result.outcomes)
    outcome = outcomes[number] = replace(outcomes[number], status=Status.REWRITTEN)
    findings = [
        replace(one, kind=Kind.NOTE, message=f"assumed, and held when verified: {one.message}")
        if one.kind is Kind.ASSUMPTION and one.path.is_relative_to(outcome.directory)
        else one
        for one in result.findings
    ]
    return replace(result, outcomes=outcomes, findings=findings)
