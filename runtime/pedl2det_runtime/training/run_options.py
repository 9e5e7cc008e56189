"""What a user may ask of one run, and the run that follows from it."""

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
    """What a user may ask of one run.

    Attributes:
        directory: the trial's directory.
        config: the experiment config; None for the one in the directory.
        out: where the results go.
        discards_results: whether ``out`` is a temporary directory, which each process makes.
        overrides: ``key.path=value`` for the config.
        resume: go on from the last checkpoint in ``out``.
        max_batches: the most batches to train, or None.
        test: train one batch, validate one, write one checkpoint.
        trace: write the metrics of every single batch to ``batches.jsonl``.
        slots: the processes that train, or None for as many as the config says.
        force: resume although what is trained, or the run's reports, have changed.
        from_checkpoint: a checkpoint whose weights and states a new run begins with.
        weights_only: take only the weights of it.
    """

    directory: Path
    out: Path
    config: Path | None = None
    overrides: tuple[str, ...] = ()
    resume: bool = False
    max_batches: int | None = None
    test: bool = False
    trace: bool = False
    slots: int | None = None
    force: bool = False
    from_checkpoint: Path | None = None
    weights_only: bool = False
    discards_results: bool = False

    def arguments(self) -> list[str]:
        """The arguments of ``pedl2det run`` that say the same."""
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
        """The same options with absolute paths, for another working directory."""
        source = self.from_checkpoint and self.from_checkpoint.resolve()
        return replace(
            self,
            directory=self.directory.resolve(),
            out=self.out.resolve(),
            from_checkpoint=source,
        )

    def to_resume(self, more: tuple[str, ...] = (), *, begun: bool = False) -> str:
        """The command that goes on with the run; credentials in it are replaced by stars.

        Args:
            more: ``key.path=value`` for the config, in the place of other values of these keys.
            begun: whether the run has certainly begun; else it is looked up.
        """
        replaced = {override.partition("=")[0] for override in more}
        kept = (one for one in self.overrides if one.partition("=")[0] not in replaced)
        overrides = tuple(_without_credential(override) for override in (*kept, *more))
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
    """One run.

    Attributes:
        options: what the user asked for; ``directory`` and ``out`` are absolute.
        info: config, hyperparameters, seed and rank.
        resume_point: the checkpoint to continue from.
        display: shows the run to people.
        source: the checkpoint that a new run begins with.
    """

    options: RunOptions
    info: TrialInfo
    resume_point: ResumePoint
    display: Display
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
