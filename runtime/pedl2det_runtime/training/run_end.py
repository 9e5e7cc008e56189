"""Record how a run ended: a resume that has nothing to train shows it without TensorFlow."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.checkpoint import directory as checkpoint_directory
from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.checkpoint.json_lines import REPORT, written_lines
from pedl2det_runtime.checkpoint.state import read_state
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.errors import Pedl2DetError
from pedl2det_runtime.training import run_lock
from pedl2det_runtime.training.changes_since_checkpoint import config_changes, report_code_changes
from pedl2det_runtime.training.display import Display, Ended
from pedl2det_runtime.training.run_options import Run, RunOptions

NAME = "pedl2det-end.json"
STOPPED = "this run was stopped by a callback"


@dataclass(frozen=True)
class RunEnd:
    """How a run ended.

    Attributes:
        title: the title of its config.
        seed: its seed.
        ended: what was shown of it.
        length: the batches of the trial by its config.
        records: lines in ``metrics.jsonl``.
        verbose: whether people are shown metrics.
    """

    title: str
    seed: int
    ended: Ended
    length: int
    records: int
    verbose: bool

    def show(self, display: Display) -> None:
        """Show the end of the run again: nothing is left to train."""
        display.begin(self.title, self.seed)
        if self.ended.continue_with is None:
            display.say(STOPPED)
        display.end(replace(self.ended, trained=0, seconds=0.0), verbose=self.verbose)


def write(run: Run, ended: Ended, length: int, *, verbose: bool) -> None:
    """Record the end of a run in its directory; leave files of others there as they are."""
    path = run.options.out / NAME
    records = len(written_lines(run.options.out / "metrics.jsonl", REPORT))
    end = RunEnd(run.config.title, run.info.seed, ended, length, records, verbose)
    with contextlib.suppress(Pedl2DetError, OSError):  # a resume takes longer without it
        ownership.refuse_foreign(path, directory=False)
        if not path.exists() or read(run.options.out):
            path.write_text(json.dumps(asdict(end)) + "\n", encoding="utf-8")


def find_end(options: RunOptions, config: ExperimentConfig | None) -> RunEnd | None:
    """Return the end of the run that is to be resumed, if nothing is left to do for it.

    Returns:
        None if it is not known without the trial: then TensorFlow is needed. A script is run
        to its end, and changed code may do more at the end of the training.

    Raises:
        ConfigError: another process trains into the directory.
        DamagedCheckpointError: the checkpoint holds no config.
    """
    is_plain = options.resume and not (options.force or options.test or options.from_checkpoint)
    end = read(options.out) if is_plain else None
    if end is None or config is None or isinstance(config.entrypoint, dict):
        return None
    run_lock.refuse_held(options.out)
    path, damaged = checkpoint_directory.newest_undamaged(options.out / "checkpoints")
    if path is None or damaged or run_lock.holder(options.out):
        return None
    state, ended = read_state(path), end.ended
    home = options.directory.parent if options.directory.is_file() else options.directory
    changed: list[str] = []
    report_code_changes(path, home, (), changed.append)
    is_same = (
        not changed
        and not config_changes(path, TrialInfo.of(config, options.out))
        and options.slots in (None, state.slots)
        and state.progress.batches == ended.batches
        and len(written_lines(options.out / "metrics.jsonl", REPORT)) == end.records
    )
    length = min(end.length, options.max_batches or end.length)
    is_over = ended.continue_with is None or ended.batches >= length
    return end if is_same and is_over else None


def read(out: Path) -> RunEnd | None:
    """Return what a run recorded of its end in its directory; None if there is no such record."""
    try:
        return TypeAdapter(RunEnd).validate_json((out / NAME).read_bytes())
    except (OSError, ValueError):
        return None
