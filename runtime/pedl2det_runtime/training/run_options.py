"""The options of a run, and the run with what they refer to."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pedl2det_runtime.config.credentials import is_secret, without_credentials

if TYPE_CHECKING:
    from pedl2det_runtime.api.trial_info import TrialInfo
    from pedl2det_runtime.config.experiment_config import ExperimentConfig
    from pedl2det_runtime.training.display import Display
    from pedl2det_runtime.training.resume import ResumePoint
    from pedl2det_runtime.training.run_record import SourceCheckpoint


@dataclass(frozen=True)
class RunOptions:
    """The options of a run."""

    directory: Path  #: the trial's directory, or its file
    out: Path  #: where the results go
    config: Path | None = None  #: the experiment config; None for the one in the directory
    overrides: tuple[str, ...] = ()  #: ``key.path=value`` for the config
    resume: bool = False  #: continue from the last checkpoint in ``out``
    max_batches: int | None = None  #: the maximum number of batches to train, or None
    test: bool = False  #: train one batch, validate one, write one checkpoint
    trace: bool = False  #: write the metrics of every batch to ``batches.jsonl``
    slots: int | None = None  #: the number of processes; None for that of the config
    force: bool = False  #: resume even if what is trained, or the reports, have changed
    #: a checkpoint whose weights and states a new run starts with
    from_checkpoint: Path | None = None
    weights_only: bool = False  #: take only its weights
    #: whether ``out`` is a temporary directory, which each process creates
    discards_results: bool = False

    @property
    def home(self) -> Path:
        """The trial's directory, even if ``directory`` is a file."""
        return self.directory.parent if self.directory.is_file() else self.directory

    def arguments(self) -> list[str]:
        """Return the arguments of ``pedl2det run`` with these options."""
        arguments = [str(self.directory), *(("-c", str(self.config)) if self.config else ())]
        arguments += [] if self.discards_results else ["--out", str(self.out)]
        arguments += [word for override in self.overrides for word in ("--set", override)]
        for name in ("resume", "force", "test", "trace", "weights_only"):
            arguments += [f"--{name.replace('_', '-')}"] if getattr(self, name) else []
        for name in ("max_batches", "slots", "from_checkpoint"):
            value = getattr(self, name)
            arguments += [f"--{name.replace('_', '-')}", str(value)] if value else []
        return arguments

    def absolute(self) -> RunOptions:
        """Return the same options with absolute paths, for another working directory."""
        source = self.from_checkpoint and self.from_checkpoint.resolve()
        return replace(
            self,
            directory=self.directory.resolve(),
            out=self.out.resolve(),
            from_checkpoint=source,
        )

    def to_resume(self, more: tuple[str, ...] = (), *, begun: bool = False) -> str:
        """Return the command that continues the run; credentials in it are replaced by stars.

        ``more`` has ``key.path=value`` for the config, which replace those of the same keys.
        ``begun`` is true if the run has certainly begun; otherwise it has if its directory exists.
        """
        replaced = {override.partition("=")[0] for override in more}
        remaining = (pair for pair in self.overrides if pair.partition("=")[0] not in replaced)
        overrides = tuple(_without_credential(override) for override in (*remaining, *more))
        options = replace(
            self, overrides=overrides, resume=begun or self.out.is_dir(), force=False, test=False
        )
        return shlex.join(["pedl2det", "run", *options.arguments()])


def _without_credential(override: str) -> str:
    key, sign, value = override.partition("=")
    is_inside = any(map(is_secret, key.split(".")))
    return f"{key}{sign}{without_credentials(value, is_inside)}"


@dataclass(frozen=True)
class Run:
    """A run."""

    options: RunOptions  #: what the user asked for; ``directory`` and ``out`` are absolute
    info: TrialInfo  #: config, hyperparameters, seed and rank
    resume_point: ResumePoint  #: the checkpoint to continue from
    display: Display  #: shows the run to the user
    source: SourceCheckpoint | None = None  #: the checkpoint that a new run starts with

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
