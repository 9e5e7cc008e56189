"""Train a trial: from options and config to a trained model.

options -> config -> :class:`Run` -> trial class -> :class:`TrialSetup` (trial, data, model) ->
training loop.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pedl2det_runtime import stub_path
from pedl2det_runtime.api.trial_info import TrialInfo, running
from pedl2det_runtime.backends import graph_mode, keras_versions
from pedl2det_runtime.checkpoint.json_lines import REPORT, read_lines
from pedl2det_runtime.checkpoint.state import Progress, read_metadata
from pedl2det_runtime.config import cluster_environment
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.config.notices import notices, refuse_unsupported
from pedl2det_runtime.config.reader import read_config
from pedl2det_runtime.distributed.ranks import join
from pedl2det_runtime.errors import (
    SELECT_GRAPH_MODE,
    ConfigError,
    GraphModeNeededError,
    Pedl2DetError,
)
from pedl2det_runtime.errors.trial_code import place_in_trial
from pedl2det_runtime.training import run_lock, run_record
from pedl2det_runtime.training.display import Display, Ended
from pedl2det_runtime.training.resume import checkpoint_of_all
from pedl2det_runtime.training.run_options import Run, RunOptions
from pedl2det_runtime.training.source_checkpoint import source_of_all

if TYPE_CHECKING:
    from pedl2det_runtime.api.trial import TFKerasTrial

#: The script that a cluster ran in the model directory before the trial.
STARTUP_HOOK = "startup-hook.sh"


def run(options: RunOptions, display: Display) -> Progress:
    """Train a trial of any generation."""
    file = options.directory if options.directory.is_file() else None
    options = replace(options, directory=options.home)
    if not options.directory.is_dir():
        raise ConfigError(f"{options.directory}: no such directory")
    config = read_config(options.config or find_config(options.directory), options.overrides)
    refuse_unsupported(config)
    # Make paths absolute, because the trial runs in its own directory.
    options = options.absolute()
    distributed = join(options.slots)
    if distributed.rank > 0:
        display = Display()
    info = TrialInfo.of(config, options.out, distributed)
    with locked_run(options, distributed.rank, display.say):
        resolved = resolve_run(options, info, display)
        keras_versions.choose_keras_2()
        keras_versions.load_tensorflow()
        with stub_path.served_first(), keras_versions.restored_afterwards():
            display.begin(config.title, info.seed)
            for line in notices(config, info.hparams, info.slots):
                display.say(line)
            if (options.directory / STARTUP_HOOK).is_file():
                display.say(
                    f"{STARTUP_HOOK}: a cluster ran it before the trial; it is not run here"
                )
            return _run_in_needed_mode(resolved, file)


def locked_run(
    options: RunOptions, rank: int, say: Callable[[str], None]
) -> AbstractContextManager[None]:
    """Lock the directory of a run, on the chief; do nothing if it is missing and must exist."""
    is_missing = options.resume and not options.out.is_dir()  # reported later
    return nullcontext() if rank or is_missing else run_lock.held(options.out, say)


def resolve_run(options: RunOptions, info: TrialInfo, display: Display) -> Run:
    """Find the checkpoint to resume from, and the one that a new run starts with."""
    point = checkpoint_of_all(options, info, display.say)
    info = replace(info, initial_batch=point.state.progress.batches)
    source = source_of_all(options, info, has_checkpoint=point.path is not None)
    return Run(options, info, point, display, source)


def _run_in_needed_mode(run: Run, file: Path | None) -> Progress:
    """Load and train a trial; in graph mode if its checkpoint or its code needs that.

    If only an error shows that the code needs it, the trial is loaded again.

    Raises:
        GraphModeNeededError: a rank of several needs graph mode. All must train in the same mode,
            so the launcher starts them again.
    """
    point = run.resume_point
    needs_graph_mode = point.path and read_metadata(point.path).get("graph_mode")
    if not (needs_graph_mode or graph_mode.is_requested()):
        try:
            return _run(run, file)
        except Pedl2DetError as error:
            reason = graph_mode.reason_for(error)
            if reason is None:
                raise
            reports = read_lines(run.options.out / "metrics.jsonl", REPORT)
            if len(reports) > point.state.records:
                if SELECT_GRAPH_MODE not in str(error):
                    error.args = (f"{error}; {SELECT_GRAPH_MODE}",)
                raise
            place = place_in_trial(error.__cause__ or error, run.options.directory)
            if run.info.distributed.size > 1:
                raise GraphModeNeededError(f"{place}: {reason}") from error.__cause__
            run.say(f"{place}: this trial is trained in graph mode, as by TensorFlow 1: {reason}")
    graph_mode.choose()
    return _run(run, file)


def _run(run: Run, file: Path | None) -> Progress:
    from pedl2det_runtime.backends import random_state
    from pedl2det_runtime.training.trial_loading import at_home, load_trial, users_code

    keras_versions.begin_trial()
    config = run.config
    paths = cluster_environment.in_code(run.options.directory, config.places)
    with running(run.info), at_home(run.options.directory), paths:
        random_state.seed_everything(run.info.seed)
        if isinstance(config.entrypoint, dict):
            return _train_script(config.entrypoint, run)
        name = file.name if file else None
        trial_class = load_trial(run.options.directory, config.entrypoint, config.entrypoints, name)
        with users_code(run.options.directory, f"train {trial_class.__name__}"):
            return train(trial_class, run)


def _train_script(entrypoint: dict[str, Any], run: Run) -> Progress:
    """Train the model that a script builds, and run the rest of the script."""
    from pedl2det_runtime.older_apis.script import run_script
    from pedl2det_runtime.training.trial_loading import users_code

    if not isinstance(entrypoint.get("script"), str):
        raise ConfigError("entrypoint: expected script: FILE, or module:Class")
    progress = Progress()

    def train_it(trial_class: type[TFKerasTrial], info: TrialInfo) -> Path:
        nonlocal progress
        progress = train(trial_class, replace(run, info=info))
        return run.options.out

    with users_code(run.options.directory, f"run {entrypoint['script']}"):
        run_script(run.options.directory / entrypoint["script"], run.info, train_it)
    return progress


def train(trial_class: type[TFKerasTrial], run: Run) -> Progress:
    """Train a context-based trial, whose :class:`TrialInfo` must be the running one."""
    from pedl2det_runtime.training.loop import TrainingLoop
    from pedl2det_runtime.training.trial_setup import set_up_trial

    setup = set_up_trial(trial_class, run)
    point = run.resume_point
    if point.path is not None:
        run.say(f"resumed at batch {point.state.progress.batches}")
        if point.state.stopped:
            run.say(run_record.STOPPED)
    began = time.monotonic()
    loop = TrainingLoop(setup)
    progress = loop.train()
    if run.is_chief:
        batches, config = progress.batches, run.config
        length = 0 if run.options.test else config.training_batches(run.info.global_batch_size)
        longer = (config.searcher.twice_the_length(),) if 0 < length <= batches else ()
        ended = Ended(
            batches=batches,
            trained=batches - point.state.progress.batches,
            seconds=time.monotonic() - began,
            best=setup.checkpoints.best_validation(),
            last=setup.checkpoints.value_at(batches),
            continue_with=None if loop.was_stopped else longer,
        )
        verbose = setup.context.fit_settings.verbose
        run.display.end(ended, verbose=verbose)
        if not (run.options.test or run.options.discards_results):
            run_record.write_end(run, ended, length, verbose=verbose)
    return progress


def readable_config(options: RunOptions) -> ExperimentConfig | None:
    """Return a trial's config; None where it cannot be read."""
    try:
        return read_config(options.config or find_config(options.home), options.overrides)
    except (ConfigError, OSError):
        return None  # the run itself says what is wrong


def find_config(directory: Path) -> Path:
    """Return the experiment config of a trial: ``const.yaml``, or the only YAML file."""
    found = sorted([*directory.glob("*.yaml"), *directory.glob("*.yml")])
    named = [path for path in found if path.stem == "const"]
    if len(named) == 1 or len(found) == 1:
        return (named or found)[0]
    names = ", ".join(path.name for path in found)
    raise ConfigError(
        f"{directory}: several configs ({names}): choose one with -c"
        if found
        else f"{directory}: no experiment config: expected const.yaml, or name one with -c"
    )
