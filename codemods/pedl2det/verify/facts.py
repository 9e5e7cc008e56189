"""What a signed report has to name: date, versions, commit, seed, config, duration."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path

from pedl2det import __version__
from pedl2det.engine.result import Proof
from pedl2det.files.git import asked
from pedl2det.verify.verdict import Verdict


def proof_of(
    verdict: Verdict,
    configs: tuple[Path, ...] = (),
    results: Path | None = None,
    seconds: float = 0.0,
    page: Path | None = None,
) -> Proof:
    """Return a verdict with its circumstances, as reports show it.

    Args:
        verdict: the verdict.
        configs: the experiment configs that the trials were trained by.
        results: the results directory of the old trial, if it was trained.
        seconds: how long the verification took.
        page: the page that shows it in full, if one is written.
    """
    seed, frameworks = (None, "") if results is None else _of_run(results)
    return Proof(
        directory=verdict.directory,
        outcome=str(verdict.outcome),
        message=verdict.message,
        batches=verdict.comparison.batches if verdict.comparison else 0,
        total=verdict.length.total if verdict.length else None,
        configs=configs,
        date=datetime.datetime.now().astimezone().isoformat(" ", "seconds"),
        versions=f"pedl2det {__version__}, Python {platform.python_version()}{frameworks}",
        commit=_commit(verdict.directory),
        seed=seed,
        seconds=seconds,
        page=page,
    )


def _of_run(results: Path) -> tuple[int | None, str]:
    """The seed of a run, and the frameworks that trained it."""
    from pedl2det_runtime.checkpoint.directory import latest
    from pedl2det_runtime.checkpoint.state import read_state, written_with

    checkpoint = latest(results / "checkpoints")
    if checkpoint is None:
        return None, ""
    written = written_with(checkpoint)
    frameworks = f", {written['framework'].replace('-', ' ')}, Keras {written['keras']}"
    return read_state(checkpoint).seed, frameworks


def _commit(directory: Path) -> str:
    """Return the commit of a directory; "" if git has none of its files."""
    commit = _git(directory, "rev-parse", "HEAD")
    if not commit:
        return ""
    has_changes = _git(directory, "status", "--porcelain", "--", ".")
    if not has_changes and not _git(directory, "ls-files", "--", "."):
        return ""  # git ignores the directory
    return f"{commit} and changes that are not committed" if has_changes else commit


def _git(directory: Path, *arguments: str) -> str:
    try:
        done = asked(directory, *arguments)
    except OSError:
        return ""
    return os.fsdecode(done.stdout).strip() if done.returncode == 0 else ""
