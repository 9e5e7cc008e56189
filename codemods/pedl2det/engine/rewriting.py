"""Apply the fixes of a project; a fix that fails is dropped, marked and reported.

No fix may stop a trial. If the fixes cannot be applied together, or a new text does not pass its
check, the fix that is to blame is found by applying fewer of them.
"""

from __future__ import annotations

import io
import re
import tokenize
import traceback
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.edits.comments import FOR_TOOLS
from pedl2det.edits.flakes import wrong_names
from pedl2det.engine.draft import Draft, draft
from pedl2det.engine.marks import mark
from pedl2det.engine.places import finding_at
from pedl2det.findings import Finding, Kind
from pedl2det.fixes import Fix, Form, Remark

_MOST_DEFECTS = 20


@dataclass
class Rewritten:
    """New texts of a project.

    Attributes:
        draft: the texts, the support pieces and the fixes that were applied.
        findings: fixes that failed.
        tracebacks: their stacks.
    """

    draft: Draft
    findings: list[Finding] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)

    @property
    def texts(self) -> dict[Path, str]:
        """The new text of each file that changes."""
        return self.draft.texts


@dataclass
class _Attempt:
    draft: Draft
    failure: str = ""
    stack: str = ""


def rewrite(trial: Trial, fixes: Sequence[Fix], some_left_out: bool = False) -> Rewritten:
    """Apply as many of the fixes as can be applied.

    Args:
        trial: the project.
        fixes: the fixes and marks of all rules.
        some_left_out: whether the user left some out: others that need them are no defects.
    """
    kept = list(fixes)
    findings: list[Finding] = []
    tracebacks: list[str] = []
    while True:
        attempt = _attempt(trial, kept)
        if not attempt.failure and some_left_out:
            return Rewritten(attempt.draft)
        if not attempt.failure:
            return Rewritten(attempt.draft, findings, tracebacks)
        if not kept or len(findings) >= _MOST_DEFECTS:
            return Rewritten(Draft(), findings, tracebacks)
        culprit, attempt = _culprit(trial, kept, attempt)
        findings.append(_defect(culprit, attempt.failure))
        tracebacks.append(attempt.stack)
        kept = [one for one in kept if one is not culprit]
        replacement = None if some_left_out else _marked(culprit)
        if replacement is not None:
            kept.append(replacement)


def _attempt(trial: Trial, fixes: Sequence[Fix]) -> _Attempt:
    try:
        made = draft(trial, fixes)
    except RecursionError:
        raise
    except Exception as error:
        return _Attempt(Draft(), f"{type(error).__name__}: {error}", traceback.format_exc())
    sources = {source.path: source for source in trial.modules}
    for path, text in made.texts.items():
        problem = problem_with(sources[path], text)
        if problem is not None:
            failure = f"{path.name} {problem}"
            return _Attempt(made, failure, f"{failure}\n")
    return _Attempt(made)


def _culprit(trial: Trial, fixes: Sequence[Fix], attempt: _Attempt) -> tuple[Fix, _Attempt]:
    """The last fix of the shortest beginning of the fixes that fails as all of them do.

    Other failures do not count: a parameter that is dropped before its uses are rewritten is no
    defect.
    """
    low, high = 0, len(fixes)
    while high - low > 1:
        middle = (low + high) // 2
        tried = _attempt(trial, fixes[:middle])
        if tried.failure == attempt.failure:
            high, attempt = middle, tried
        else:
            low = middle
    return fixes[high - 1], attempt


def _defect(fix: Fix, failure: str) -> Finding:
    message = f"this rewrite failed: {failure}"
    return finding_at(fix.source, fix.node, Kind.DEFECT, fix.rule, message)


def _marked(fix: Fix) -> Fix | None:
    if fix.form is Form.MARKED:
        return None
    message = "pedl2det failed to rewrite this; please report it"
    return mark(Remark(fix.rule, fix.source, fix.node, Kind.LEFT, message))


_TAIL = re.compile("#[^\r\n]*")


def problem_with(source: Source, text: str) -> str | None:
    """Return what is wrong with a new text of a file, or None.

    It must parse and compile, and do nothing wrong with a name that the old text did not.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(text, str(source.path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError) as error:
        return f"would not compile: {error}"
    wrong = wrong_names(text) - wrong_names(source.text)
    if wrong:
        return f"would {min(wrong)}"
    return source.problem_with(text)


def lost_comments(old: str, new: str) -> list[tuple[int, str]]:
    """The comments of an old text that a new one lacks, each with its line.

    A comment behind a statement that is deleted, such as an import, goes with it; all others move
    to the line above (:mod:`pedl2det.edits.comments`).
    """
    if not Counter(_TAIL.findall(old)) - Counter(_TAIL.findall(new)):
        return []  # most often; comments are told from other text only otherwise
    kept = Counter(text for _, text in _comments(new))
    lost = []
    for line, text in _comments(old):
        if kept[text] > 0:
            kept[text] -= 1
        else:
            lost.append((line, text))
    return lost


def _comments(text: str) -> list[tuple[int, str]]:
    """The comments for people."""
    return [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(FOR_TOOLS)
    ]
