"""The record ``run.json`` in a run's directory: what it began with, and how it ended.

A run that ends before its first own checkpoint begins again with the recorded one when it resumes.
A resume that has nothing to train shows the recorded end without TensorFlow.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.checkpoint import directory as checkpoint_directory
from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.checkpoint.json_lines import REPORT, read_lines
from pedl2det_runtime.checkpoint.state import read_state
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.errors import ConfigError
from pedl2det_runtime.training import run_lock
from pedl2det_runtime.training.changes_since_checkpoint import config_changes, report_code_changes
from pedl2det_runtime.training.display import Display, Ended
from pedl2det_runtime.training.run_options import Run, RunOptions

NAME = "run.json"
STOPPED = "this run was stopped by a callback"


@dataclass(frozen=True)
class SourceCheckpoint:
    """The checkpoint that a new run begins with."""

    path: Path  #: its directory, absolute
    weights_only: bool = False  #: whether only its weights are taken

    def __str__(self) -> str:
        """Return the options that name it."""
        return f"--from-checkpoint {self.path}{' --weights-only' if self.weights_only else ''}"


@dataclass(frozen=True)
class RunEnd:
    """How a run ended."""

    title: str  #: the title of its config
    seed: int  #: its seed
    ended: Ended  #: what was shown of it
    length: int  #: the batches of the trial by its config
    records: int  #: lines in ``metrics.jsonl``
    verbose: bool  #: whether people are shown metrics

    def show(self, display: Display) -> None:
        """Show the end of the run again: nothing is left to train."""
        display.begin(self.title, self.seed)
        if self.ended.continue_with is None:
            display.say(STOPPED)
        display.end(replace(self.ended, trained=0, seconds=0.0), verbose=self.verbose)


@dataclass(frozen=True)
class RunRecord:
    """The content of ``run.json``."""

    source: SourceCheckpoint | None  #: the checkpoint that the run began with; None for new weights
    end: RunEnd | None  #: how the run ended; None if it has not


def read(out: Path) -> RunRecord:
    """Return the record of the run in ``out``; an empty one if there is none."""
    path = out / NAME
    ownership.refuse_foreign(path, directory=False)
    try:
        return TypeAdapter(RunRecord).validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return RunRecord(None, None)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise ownership.foreign_file_error(path) from None


def write(out: Path, record: RunRecord) -> None:
    """Write the record of the run in ``out`` atomically."""
    path = out / NAME
    try:
        ownership.replace_file(path, json.dumps(asdict(record), default=str) + "\n")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None


def write_end(run: Run, ended: Ended, length: int, *, verbose: bool) -> None:
    """Record the end of a run in its directory; leave a file of somebody else there as it is."""
    out = run.options.out
    with contextlib.suppress(ConfigError):  # a resume takes longer without it
        records = len(read_lines(out / "metrics.jsonl", REPORT))
        end = RunEnd(run.config.title, run.info.seed, ended, length, records, verbose)
        write(out, replace(read(out), end=end))


def find_end(options: RunOptions, config: ExperimentConfig | None) -> RunEnd | None:
    """Return the end of the run that is to be resumed, if nothing is left to do for it.

    Returns:
        None if it is not known without the trial: then TensorFlow is needed. A script is run
        to its end, and changed code may do more at the end of the training.
    """
    is_plain = options.resume and not (options.force or options.test or options.from_checkpoint)
    end = read(options.out).end if is_plain else None
    if end is None or config is None or isinstance(config.entrypoint, dict):
        return None
    run_lock.refuse_held(options.out)
    path, damaged = checkpoint_directory.newest_undamaged(options.out / "checkpoints")
    if path is None or damaged or run_lock.holder(options.out):
        return None
    state, ended = read_state(path), end.ended
    changed: list[str] = []
    report_code_changes(path, options.home, (), changed.append)
    is_same = (
        not changed
        and not config_changes(path, TrialInfo.of(config, options.out))
        and options.slots in (None, state.slots)
        and state.progress.batches == ended.batches
        and len(read_lines(options.out / "metrics.jsonl", REPORT)) == end.records
    )
    length = min(end.length, options.max_batches or end.length)
    is_over = ended.continue_with is None or ended.batches >= length
    return end if is_same and is_over else None
