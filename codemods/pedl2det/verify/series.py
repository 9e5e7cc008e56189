"""Prove migrations one after the other, and take back what does not train the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pedl2det.engine.migration import Proof, Result
from pedl2det.findings import Finding, Kind
from pedl2det.report.text import simplest_first
from pedl2det.verify.configs import settings_of
from pedl2det.verify.prove import verify_trial
from pedl2det.verify.unrun import common
from pedl2det.visible import shown

_SECOND = "in the second form, because the first was refuted"
_MOST_CONFIGS = 4  # by which a trial is trained
_MOST_IF_UNRUN = 8  # by which it is while there is code that no training has executed
_BATCHES_OF_OTHERS = 50  # by each config but the first


class Series:
    """Verifies migrations one after the other, and says so when each begins and ends."""

    def __init__(self, total: int, say: Callable[[str], None]) -> None:
        self._total, self._say = total, say
        self._numbers: dict[Path, int] = {}

    def by_configs(self, directory: Path, result: Result) -> Proof:
        """Prove a migration by four configs of the trial, those of other branches first.

        Further configs follow while there is code that no training has executed. Without configs,
        it is trained by what `run` finds. Returns the first proof that is not equal, else one
        proof of all; a further config that cannot be, or was not, trained is named in it.
        """
        outcome = next(one for one in result.outcomes if one.directory == directory)
        configs = _by_branch(outcome.configs)
        left = [one.name for one in outcome.configs if one not in configs]
        first = configs[0] if configs else None
        how = "in the second form" if directory in self._numbers else "migrated"
        number = self._numbers.setdefault(directory, len(self._numbers) + 1)
        place = f"[{number}/{self._total}] {shown(directory)}"
        self._say(f"{place}: training it as it is and {how}")
        began = time.monotonic()
        proof = verify_trial(directory, first, result=result)
        self._say(f"{place}: {proof.message} ({time.monotonic() - began:.0f} s)")
        for order, config in enumerate(configs[1:], 2) if proof.is_equal else ():
            if order > _MOST_CONFIGS and not any(proof.unrun.values()):
                left = [one.name for one in configs[order - 1 :]] + left
                break
            verdict = verify_trial(directory, config, _BATCHES_OF_OTHERS, result=result)
            message, _, _ = verdict.message.partition(";")  # the rest was said of the first
            shown_verdict = f"by {config.name}: {message if verdict.is_equal else verdict.message}"
            self._say(f"    {shown_verdict}")
            if verdict.refutes:
                return replace(verdict, message=shown_verdict)
            trained = (config,) if verdict.is_equal else ()
            message = f"{proof.message}; {shown_verdict}"
            unrun = common(proof.unrun, verdict.unrun) if trained else proof.unrun
            of_proof = (*proof.configs, *trained)
            proof = replace(proof, message=message, configs=of_proof, unrun=unrun)
        if left and proof.is_equal:
            proof = replace(proof, message=f"{proof.message}; not trained by {', '.join(left)}")
        return proof


def _by_branch(configs: Sequence[Path]) -> list[Path]:
    """Return a config of each branch, const.yaml and single trainings first, then others."""
    by_branch: dict[object, Path] = {}
    ordered = simplest_first(configs)
    for config in ordered:
        settings = settings_of(config)
        by_branch.setdefault(settings and settings.branch, config)
    branches = [*by_branch.values()]  # others differ in fractions, sizes and searches alone
    return [*branches, *(one for one in ordered if one not in branches)][:_MOST_IF_UNRUN]


def prove(
    result: Result,
    verify: Callable[[Path, Result], Proof],
    carry: Callable[[frozenset[Path]], Result] | None = None,
    *,
    only_proved: bool = True,
) -> Result:
    """Return the result without the trials that do not train the same; nothing is written yet.

    A trial whose rewrite is refuted is carried over whole (P034), and proved again: ``carry`` says
    what would be written then. With ``only_proved``, what could not be compared is left out too.
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
                result.findings.append(Finding(Kind.NOTE, "verify", directory, 1, why))
                proofs[directory] = again
    for number, outcome in enumerate(result.outcomes):
        proof = proofs.get(outcome.directory)
        if proof is not None and (proof.refutes or outcome.is_to_prove):
            outcomes = [*result.outcomes]
            outcomes[number] = replace(outcome, proof=proof)
            result = replace(result, outcomes=outcomes)
            if proof.refutes or (only_proved and not proof.is_equal):
                message = f"not proved to train the same, and not written: {proof.message}"
                finding = Finding(Kind.LEFT, "verify", outcome.directory, 1, message)
                result = result.without(number, finding)
    return result
