"""Prove rewritten trials by running them, and take back what does not train the same.

A trial whose rewrite is refuted is carried over whole (P034), and proved again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pedl2det.engine.migration import Proof, Result
from pedl2det.findings import Finding, Kind

RULE = "verify"

_SECOND = "in the second form, because the first was refuted"

#: Trains the trial in a directory as it is, and as a result would write it.
Verify = Callable[[Path, Result], Proof]


def prove(
    result: Result,
    verify: Verify,
    carry: Callable[[frozenset[Path]], Result] | None = None,
    *,
    only_proved: bool = True,
) -> Result:
    """Return the result without the trials that do not train the same.

    Nothing is written yet: ``verify`` writes the result into a copy of the trial.

    Args:
        result: what the migration would write.
        verify: compares a trial and its migrated copy.
        carry: what the migration would write if the trials in some directories were carried over.
        only_proved: leave out what could not be compared as well, and not only what is refuted.
    """
    proofs = {
        one.directory: verify(one.directory, result) for one in result.outcomes if one.is_to_prove
    }
    refuted = frozenset(directory for directory, proof in proofs.items() if proof.refutes)
    if carry is not None and refuted:
        result = carry(refuted)
        for outcome in [one for one in result.outcomes if one.is_to_prove]:
            directory = outcome.directory
            if directory in refuted and (again := verify(directory, result)).is_equal:
                why = f"{_SECOND}: {proofs[directory].message}"
                result.findings.append(Finding(Kind.NOTE, RULE, directory, 1, why))
                proofs[directory] = again
    for number, outcome in enumerate(result.outcomes):
        proof = proofs.get(outcome.directory)
        if proof is not None and (proof.refutes or outcome.is_to_prove):
            outcomes = [*result.outcomes]
            outcomes[number] = replace(outcome, proof=proof)
            result = replace(result, outcomes=outcomes)
            if proof.refutes or (only_proved and not proof.is_equal):
                message = f"not proved to train the same, and not written: {proof.message}"
                finding = Finding(Kind.LEFT, RULE, outcome.directory, 1, message)
                result = result.without(number, finding)
    return result
