"""Find the checkpoint that a run continues from, and refuse results of another run."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.checkpoint import directory as checkpoint_directory
from pedl2det_runtime.checkpoint import ownership, signature
from pedl2det_runtime.checkpoint.json_lines import BATCH, REPORT, read_lines
from pedl2det_runtime.checkpoint.state import Progress, RankState, State, read_state
from pedl2det_runtime.checkpoint.writer import Contents
from pedl2det_runtime.distributed.ranks import seen_by_all
from pedl2det_runtime.errors import ConfigError, DamagedCheckpointError
from pedl2det_runtime.training import run_lock
from pedl2det_runtime.training.changes_since_checkpoint import (
    GOAL_KEYS,
    check_compiled,
    check_config,
    report_code_changes,
    report_version_changes,
)
from pedl2det_runtime.training.run_options import Run, RunOptions

_NEW_RUN = State(progress=Progress(), records=0, best=None, seed=0, slots=1)


@dataclass(frozen=True)
class ResumePoint:
    """The checkpoint that a run continues from, if there is one."""

    path: Path | None = None  #: its directory
    state: State = _NEW_RUN  #: progress of the run
    own: RankState | None = None  #: state of this rank
    damaged: frozenset[str] = frozenset()  #: names of newer checkpoints that cannot be used


def checkpoint_of_all(
    options: RunOptions, info: TrialInfo, say: Callable[[str], None]
) -> ResumePoint:
    """Return what the chief finds with :func:`find_checkpoint`, with the state of this rank."""
    distributed = info.distributed
    found = find_checkpoint(options, info, say) if distributed.rank == 0 else ResumePoint()
    path, state = distributed.broadcast((found.path, found.state))
    if path is None:
        return found
    if state.slots != distributed.size:
        say(
            f"the checkpoint was written with {state.slots} slots, this run has "
            f"{distributed.size}: the batches are shared differently from here on, so the results "
            "differ from those of an uninterrupted run"
        )
    path = seen_by_all(path, distributed)
    own = RankState.read(path, distributed.rank)
    return replace(found, path=path, state=state, own=own)


def compare_trial(run: Run, contents: Contents) -> frozenset[str]:
    """Compare a trial's code and model with those of the checkpoint that it continues from.

    Returns:
        The settings of optimizers that the code has changed: they must not be taken from it.
    """
    point = run.resume_point
    if point.path is None:
        return frozenset()
    report_code_changes(point.path, run.options.directory, contents.code, run.say)
    report_version_changes(point.path, keras_versions.describe_versions(), run.say)
    now = contents.compiled or {}
    return check_compiled(point.path, now, run.say, force=run.options.force)


def find_checkpoint(
    options: RunOptions, info: TrialInfo, say: Callable[[str], None]
) -> ResumePoint:
    """Find the checkpoint to resume from in the results directory, which a new run creates.

    Raises:
        ConfigError: the directory holds results and ``options.resume`` is not set, it cannot be
            created, or files of others are in the place of results.
        CheckpointError: all checkpoints are damaged, or the trained trial has changed.
    """
    out = options.out
    log = out / "metrics.jsonl"
    for name in ("checkpoints", "tensorboard", "tensorboard/metrics"):
        ownership.refuse_foreign(out / name, directory=True)
    reports = read_lines(log, REPORT)
    if options.trace:
        read_lines(out / "batches.jsonl", BATCH)
    if options.resume:
        if not out.is_dir():
            raise ConfigError(f"--resume: {out}: no such directory")
        path, damaged = _newest_undamaged(out / "checkpoints", say)
        if path is not None:
            if not signature.is_signed(path):
                say(
                    f"{path} is not signed by you as it is: whether it is what the run wrote, "
                    "nothing shows; if you trust it: pedl2det checkpoint trust"
                )
            changed = check_config(path, info, say, force=options.force)
            state = read_state(path)
            if changed & GOAL_KEYS:  # the best so far was the best of something else
                state = replace(state, best=None)
            if len(reports) < state.records and not options.force:
                raise ConfigError(
                    f"{log}: holds {len(reports)} reports, and the checkpoint knows of "
                    f"{state.records}: put the file back, start a new run in another directory, "
                    "or continue without them with --force"
                )
            return ResumePoint(path, state, damaged=damaged)
        say(f"no checkpoint in {out}: the run starts at batch 0")
        if log.exists():
            log.replace(_free(log.with_suffix(".jsonl.before")))
        return ResumePoint()
    if checkpoint_directory.latest(out / "checkpoints") is not None or reports:
        raise ConfigError(
            f"{out}: holds the results of a run: go on with --resume, "
            "or choose another directory with --out"
        )
    run_lock.make_directory(out)
    return ResumePoint()


def _newest_undamaged(
    directory: Path, say: Callable[[str], None]
) -> tuple[Path | None, frozenset[str]]:
    """Find the checkpoint to resume from, and the names of newer ones that are damaged."""
    path, damaged = checkpoint_directory.newest_undamaged(directory)
    trained = checkpoint_directory.steps(directory)
    for broken, error in damaged.items():
        if path is None:
            raise DamagedCheckpointError(
                f"{error}; {directory} has no undamaged checkpoint: start a new run with another "
                "--out"
            )
        batches = trained[path.name]
        lost = f"{trained[broken.name] - batches}" if broken.name in trained else "the later"
        say(f"{error}; resuming from {path.name} at batch {batches}: {lost} batches are lost")
    return path, frozenset(broken.name for broken in damaged)


def _free(path: Path) -> Path:
    """Return this path, or one with a number appended that does not exist."""
    names = (path, *(path.with_name(f"{path.name}.{number}") for number in range(1, 10_000)))
    return next(name for name in names if not os.path.lexists(name))
