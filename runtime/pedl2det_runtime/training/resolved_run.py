"""One run, resolved: options and config are read once, and handed on as one value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.training.display import Display
from pedl2det_runtime.training.options import RunOptions
from pedl2det_runtime.training.resume import ResumePoint, checkpoint_of_all
from pedl2det_runtime.training.source import source_of_all
from pedl2det_runtime.training.source_record import SourceCheckpoint


@dataclass(frozen=True)
class Run:
    """One run.

    Attributes:
        info: config, hyperparameters, seed and rank.
        directory: the trial's directory, absolute.
        out: the run's directory, absolute.
        resume_point: the checkpoint to continue from.
        display: shows the run to people.
        max_batches: the most batches to train, or None.
        is_test: train one batch, validate one, write one checkpoint.
        discards_results: whether no checkpoint is kept, not even in the storage.
        traces: whether the metrics of each batch go to ``batches.jsonl``.
        forces: whether changes since the checkpoint are accepted.
        source: the checkpoint that a new run begins with.
    """

    info: TrialInfo
    directory: Path
    out: Path
    resume_point: ResumePoint
    display: Display
    max_batches: int | None = None
    is_test: bool = False
    discards_results: bool = False
    traces: bool = False
    forces: bool = False
    source: SourceCheckpoint | None = None

    @property
    def config(self) -> ExperimentConfig:
        """The experiment config."""
        return self.info.config

    def say(self, line: str) -> None:
        """Show a notice."""
        self.display.say(line)

    @property
    def is_chief(self) -> bool:
        """Whether this process reports and writes."""
        return self.info.rank == 0


def resolved(options: RunOptions, info: TrialInfo, display: Display) -> Run:
    """Find the checkpoint to continue from, and make one value of all that a run is.

    Args:
        options: what the user asked for; ``directory`` and ``out`` are absolute.
        info: config, hyperparameters, seed and rank.
        display: shows the run to people.

    Raises:
        ConfigError: the run's directory holds results, and ``options.resume`` is not set; or the
            run is resumed with another checkpoint to begin with.
        CheckpointError: the checkpoint is damaged, or of another run; or there is none to begin
            with.
    """
    point = checkpoint_of_all(options, info, display.say)
    if point.state is not None:
        info = replace(info, initial_batch=point.state.progress.batches)
    return Run(
        info=info,
        directory=options.directory,
        out=options.out,
        resume_point=point,
        display=display,
        max_batches=options.max_batches,
        is_test=options.test,
        discards_results=options.discards_results,
        traces=options.trace,
        forces=options.force,
        source=source_of_all(options, info, has_checkpoint=point.path is not None),
    )
