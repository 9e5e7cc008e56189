"""Prove rewritten trials by running them, and take back what does not train the same.

A trial whose rewrite is refuted is carried over whole (P034), and proved again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pedl2det.engine.result import Outcome, Proof, Result, Status
from pedl2det.findings import Finding, Kind

RULE = "verify"

#: Trains the trial in a directory as it is, and as a result would write it.
Verify = Callable[[Path, Result], Proof]


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
        directory = outcome.directory
        proof = verify(directory, result)
        if proof.refutes and carry is not None:
            carried = carried or carry()
            other = carried.of_trial(directory)
            if other is not None and is_to_prove(other.outcomes[0]):
                why = f"in the second form, because the first was refuted: {proof.message}"
                other.findings.append(Finding(Kind.NOTE, RULE, directory, 1, why))
                again = verify(directory, other)
                if again.is_equal:
                    proof, proved = again, proved.instead(number, other)
        proved = _with_proof(proved, number, proof)
        if proof.refutes or (only_proved and not proof.is_equal):
            message = f"not proved to train the same, and not written: {proof.message}"
            proved = proved.without(number, Finding(Kind.LEFT, RULE, directory, 1, message))
    return proved


def _with_proof(result: Result, number: int, proof: Proof) -> Result:
    """The result with the proof of a trial; its assumptions are facts if it is equal."""
    outcomes, findings = list(result.outcomes), result.findings
    outcome = outcomes[number] = replace(outcomes[number], proof=proof)
    if proof.is_equal:
        outcomes[number] = replace(outcome, status=Status.REWRITTEN)
        findings = [
            replace(one, kind=Kind.NOTE, message=f"assumed, and held when verified: {one.message}")
            if one.kind is Kind.ASSUMPTION and one.path.is_relative_to(outcome.directory)
            else one
            for one in findings
        ]
    return replace(result, outcomes=outcomes, findings=findings)
