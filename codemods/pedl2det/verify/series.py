"""Verify several trials one after the other: lines on the way, pages and a report beside."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pedl2det import __version__
from pedl2det.engine.result import Proof, Result
from pedl2det.errors import Pedl2DetError
from pedl2det.report.html import render
from pedl2det.report.machines import proof_object
from pedl2det.report.text import simplest_first
from pedl2det.verify.configs import settings_of
from pedl2det.verify.page import write_page
from pedl2det.verify.prove import verify_trial
from pedl2det.verify.unrun import common
from pedl2det.verify.verdict import Verdict
from pedl2det.visible import shown

VERSION = 1  # of the JSON; it changes when a field goes or means something else
_MOST_CONFIGS = 4  # by which a trial is trained
_MOST_IF_UNRUN = 8  # by which it is while there is code that no training has executed
_BATCHES_OF_OTHERS = 50  # by each config but the first


class Series:
    """Verifies trials one after the other, and says so when each begins and ends.

    The report of all has a page of each trial beside it, or is itself the page of one trial.

    Raises:
        Pedl2DetError: the directory of the pages cannot be made.
    """

    def __init__(
        self, total: int, report: Path | None, say: Callable[[str], None], *, is_page: bool = False
    ) -> None:
        self._total, self._report, self._say, self._is_page = total, report, say, is_page
        self._pages: list[Path | None] = []
        self._last: Path | None = None
        if report is not None and total and not is_page:
            pages = report.with_suffix(".verify")
            try:
                pages.mkdir(exist_ok=True)
            except OSError as error:
                raise Pedl2DetError(f"{pages}: cannot be made: {error.strerror}") from None

    def __call__(self, directory: Path, *, result: Result | None = None, **options: Any) -> Verdict:
        """Verify the next trial, or one once more; the arguments are those of `verify_trial`."""
        is_again = result is not None and directory == self._last
        if not is_again:
            self._pages.append(self._next_page(directory))
        self._last = directory
        place = f"[{len(self._pages)}/{self._total}] {shown(directory)}"
        how = "in the second form" if is_again else "migrated"
        self._say(f"{place}: training it as it is and {how}")
        began = time.monotonic()
        verdict = verify_trial(directory, result=result, report=self._pages[-1], **options)
        self._say(f"{place}: {verdict.message} ({time.monotonic() - began:.0f} s)")
        return verdict

    def by_configs(self, directory: Path, result: Result) -> Proof:
        """Prove a migration by each config of the trial that may train another branch of its code.

        Further configs follow while there is code that no training has executed. Without configs,
        it is trained by what `run` finds. Returns the first proof that is not equal, else one
        proof of all; a further config that cannot be trained here is named in it.
        """
        outcome = next(one for one in result.outcomes if one.directory == directory)
        branches, more = _by_branch(outcome.configs)
        first, others = (branches[0], [*branches[1:], *more]) if branches else (None, [])
        proof = self(directory, config=first, result=result).proof
        assert proof is not None
        for config in others if proof.is_equal else ():
            if config in more and not any(proof.unrun.values()):
                break
            verdict = verify_trial(directory, config, _BATCHES_OF_OTHERS, result=result)
            assert verdict.proof is not None
            message, _, _ = verdict.message.partition(";")  # the rest was said of the first
            shown_verdict = f"by {config.name}: {message if verdict.is_equal else verdict.message}"
            self._say(f"    {shown_verdict}")
            if verdict.proof.refutes:
                return replace(verdict.proof, message=shown_verdict)
            trained = (config,) if verdict.is_equal else ()
            message = f"{proof.message}; {shown_verdict}"
            unrun = common(proof.unrun, verdict.proof.unrun) if trained else proof.unrun
            configs = (*proof.configs, *trained)
            proof = replace(proof, message=message, configs=configs, unrun=unrun)
        return proof

    def _next_page(self, directory: Path) -> Path | None:
        """Choose where the page of a trial is written: ``NAME.verify/TRIAL.html`` by NAME.html."""
        if self._report is None or self._is_page:
            return self._report
        parts = [part for part in Path(shown(directory.resolve())).parts if part.strip("/.")]
        name = "-".join(parts) or directory.resolve().name
        page = self._report.with_suffix(".verify") / f"{name}.html"
        if page in self._pages:
            page = page.with_stem(f"{page.stem}-{len(self._pages) + 1}")
        return page


def _by_branch(configs: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return a config of each branch, const.yaml and such of a single training first, and others.

    The others differ in fractions alone.
    """
    by_branch: dict[object, Path] = {}
    ordered = simplest_first(configs)
    for config in ordered:
        settings = settings_of(config)
        by_branch.setdefault(settings and settings.branch, config)
    branches = list(by_branch.values())[:_MOST_CONFIGS]
    more = [one for one in ordered if one not in by_branch.values()]
    return branches, more[: _MOST_IF_UNRUN - len(branches)]


def write_series(path: Path, proofs: Sequence[Proof]) -> None:
    """Write the report of several verifications, as JSON or as HTML.

    Raises:
        Pedl2DetError: it cannot be written there.
    """
    if path.suffix == ".json":
        tool = {"name": "pedl2det", "version": __version__}
        content = {"version": VERSION, "tool": tool, "proofs": [*map(proof_object, proofs)]}
        text = json.dumps(content, indent=2) + "\n"
    else:
        text = render("verify/series.html.j2", title="pedl2det verify", proofs=proofs)
    write_page(path, text)
