"""Prove migrations one after the other, and take back what does not train the same."""

from __future__ import annotations

import contextlib
import functools
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from pedl2det.engine.migration import Proof, Result, Status
from pedl2det.errors import Pedl2DetError
from pedl2det.findings import Finding, Kind
from pedl2det.verify.configs import configs_in_scripts
from pedl2det.verify.preparing import chosen_config
from pedl2det.verify.prove import verify_trial
from pedl2det.verify.trainings import Training, resumed, trainings
from pedl2det.verify.unrun import common
from pedl2det.verify.verdict import Conclusion, listed
from pedl2det.visible import shown

_SECOND = "in the second form, because the first was refuted"
_SECONDS_OF_ANOTHER = 20.0
_LEAST_OF_OTHERS = 50  # batches, if fewer fit in these seconds


@dataclass
class Series:
    """Verifies migrations one after the other, and prints when each begins and ends."""

    total: int  #: how many trials there are
    say: Callable[[str], None]
    trainings: int = 16  #: of each by other configs and values of searches, however long they take
    seconds: float = 120.0  #: of these together, in which it may be trained more often
    _numbers: dict[Path, int] = field(default_factory=dict)

    def by_configs(self, directory: Path, result: Result) -> Proof:
        """Prove a migration by the configs of the trial, and by values of their searches.

        Without configs, the trial is trained by what `run` finds. Returns the first proof that is
        not equal, else one proof of all, which names what was not trained.
        """
        configs = next(one.configs for one in result.outcomes if one.directory == directory)
        with contextlib.suppress(Pedl2DetError):  # which the proof reports
            configs = configs or (*configs_in_scripts(directory),)
            configs = configs or (chosen_config(directory.resolve(), any_will_do=True),)
        every, open_ended = trainings(configs)
        how = "rewritten again" if directory in self._numbers else "migrated"
        number = self._numbers.setdefault(directory, len(self._numbers) + 1)
        place = f"[{number}/{max(number, self.total)}] {shown(directory)}"
        self.say(f"{place}: training it as it is and {how}")
        by_message: dict[tuple[bool, str], list[str]] = defaultdict(list)
        for first in [one for one in every if not one.overrides] or [Training(None)]:
            began = time.monotonic()
            proof = verify_trial(directory, first.config, result=result)
            self.say(f"{place}: {proof.message} ({time.monotonic() - began:.0f} s)")
            if proof.outcome != Conclusion.OLD_FAILS:
                break
            by_message[False, proof.message].append(str(first))  # its data may be missing here
            every = [training for training in every if training.config != first.config]
        if not proof.is_equal:
            return proof
        others = [training for training in every if training != first]
        seconds = self.seconds / max(min(len(others), self.trainings - 1), 1)
        batches = max(_LEAST_OF_OTHERS, int(min(_SECONDS_OF_ANOTHER, seconds) * proof.pace))
        began, left = time.monotonic(), []
        for earlier, training in enumerate((resumed(first), *others)):
            if earlier >= self.trainings and time.monotonic() - began > self.seconds:
                left.append(training)
                continue
            is_same = training.is_resumed and proof.batches == proof.total
            length = proof.batches if is_same else batches
            verdict = verify_trial(directory, batches=length, result=result, **training._asdict())
            message = verdict.message
            if verdict.is_equal:
                scope, *notes = message.split("; ")
                message = "; ".join((scope, *(note for note in notes if note not in proof.message)))
                proof = replace(
                    proof,
                    configs=tuple(dict.fromkeys((*proof.configs, *verdict.configs))),
                    unrun=common(proof.unrun, verdict.unrun),
                    unseen=common(proof.unseen, verdict.unseen),
                )
            self.say(f"    by {training}: {message}")
            if verdict.refutes:
                return replace(verdict, message=f"by {training}: {message}")
            by_message[training.is_resumed, message].append(str(training))
        parts = [f"by {listed(group)}: {message}" for (_, message), group in by_message.items()]
        names = [*(f"other values of {config}" for config in open_ended), *map(str, left)]
        parts += [f"not trained by {listed(names)}"] if names else []
        return replace(proof, message="; ".join((proof.message, *parts)))


#: Proves the migration of the trial in a directory.
Verify = Callable[[Path, Result], Proof]
#: Migrates again, with some options changed.
Migrate = Callable[..., Result]


def prove(
    result: Result, verify: Verify, again: Migrate | None = None, *, only_proved: bool = True
) -> Result:
    """Return the result without the trials that do not train the same; nothing is written yet.

    A trial that is left with names without a successor is proved without them. One whose rewrite is
    refuted is carried over whole (P034), and proved again. Of one that is proved, lines that no
    training has executed are written as if it were carried over, and it is proved again. With
    ``only_proved``, what could not be compared is left out too.
    """
    proofs = {directory: verify(directory, result) for directory in _provable(result)}
    begun = frozenset(trial.directory for trial in result.outcomes if trial.status is Status.BEGUN)
    if again is not None and begun:
        without = again(set_aside=begun)
        tried = {path: verify(path, without) for path in _provable(without) if path in begun}
        equal = {path: proof for path, proof in tried.items() if proof.is_equal}
        if equal:
            again = functools.partial(again, set_aside=frozenset(equal))
            result, proofs = again(), proofs | equal
    refuted = {directory: proof.message for directory, proof in proofs.items() if proof.refutes}
    if again is not None:
        again = functools.partial(again, carries=refuted.__contains__)
        if refuted:
            result = again()
            proofs |= {path: verify(path, result) for path in _provable(result) if path in refuted}
        result = _with_care(result, proofs, verify, again)
    for directory in [path for path in refuted if proofs[path].is_equal]:
        why = f"{_SECOND}: {refuted[directory]}"
        result.findings.append(Finding(Kind.NOTE, "verify", directory, 1, why))
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


def _provable(result: Result) -> list[Path]:
    return [outcome.directory for outcome in result.outcomes if outcome.is_to_prove]


def _with_care(result: Result, proofs: dict[Path, Proof], verify: Verify, again: Migrate) -> Result:
    """Rewrite with care what no training has executed, where that is proved equal, too."""
    unseen = {
        directory: proof.unseen
        for directory, proof in proofs.items()
        if proof.is_equal and any(proof.unseen.values()) and _files(result, directory)
    }
    careful = again(unseen=unseen) if unseen else result
    for directory in [*unseen]:
        if _files(careful, directory) == _files(result, directory):
            continue
        proof = verify(directory, careful) if directory in _provable(careful) else None
        if proof is not None and proof.is_equal:
            proofs[directory] = proof
        else:
            del unseen[directory]
            careful = again(unseen=unseen)
    return careful


def _files(result: Result, directory: Path) -> dict[Path, bytes]:
    trials = [outcome for outcome in result.outcomes if outcome.directory == directory]
    paths = {path for outcome in trials for path in outcome.files}
    return {file.path: file.new for file in result.files if file.path in paths}
