"""The way of the data, from a directory and a config to a trained model.

config file -> ``ExperimentConfig`` -> trial class -> trial -> ``session_config`` -> training data
-> validation data -> model -> callbacks -> controller. This order holds for every generation
(spec/README.md, 9).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pedl2det_runtime import checkpoint, keras_versions, stub_path
from pedl2det_runtime.config import ExperimentConfig, read_config, sample_hparams
from pedl2det_runtime.config.hparams import is_searched
from pedl2det_runtime.current import TrialInfo, running
from pedl2det_runtime.errors import ConfigError
from pedl2det_runtime.options import RunOptions
from pedl2det_runtime.schedule import Progress


def run(options: RunOptions, say: Callable[[str], None]) -> Progress:
    """Train a trial of any generation.

    Args:
        options: what to train, and where to.
        say: prints one line for people.

    Raises:
        Pedl2DetError: the user's mistake, with what to do about it.
    """
    if not options.directory.is_dir():
        raise ConfigError(f"{options.directory}: no such directory")
    config = read_config(options.config or find_config(options.directory), options.overrides)
    # A trial's home is its working directory: paths are made absolute before it is entered.
    options = replace(options, directory=options.directory.resolve(), out=options.out.resolve())
    directory = options.directory
    info = _trial_info(config, options.out)
    found = _what_is_in(options, info, say)
    keras_versions.choose_keras_2()
    keras_versions.load_tensorflow()
    stub_path.serve_first()

    from pedl2det_runtime import seeds
    from pedl2det_runtime.controller import Controller
    from pedl2det_runtime.job import make_job
    from pedl2det_runtime.loading import at_home, load_trial, users_code

    with running(info), at_home(directory):
        seeds.seed_everything(info.seed)
        trial_class = load_trial(directory, _entrypoint(config))
        for line in _notices(config, info):
            say(line)
        with users_code(directory, f"train {trial_class.__name__}"):
            job = make_job(trial_class, info, options, say)
            if found.state is not None:
                say(f"resumed at batch {found.state.progress.batches}")
                if found.state.stopped:
                    say("this run was stopped by a callback: nothing is left to train")
            return Controller(job, found.path, found.state).train()


def find_config(directory: Path) -> Path:
    """The experiment config of a trial: ``const.yaml``, or the only YAML file.

    Raises:
        ConfigError: there is none, or there are several.
    """
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


def _trial_info(config: ExperimentConfig, out: Path) -> TrialInfo:
    return TrialInfo(
        config=config,
        hparams=sample_hparams(config),
        seed=config.reproducibility.experiment_seed,
        tensorboard_dir=out / "tensorboard",
    )


def _entrypoint(config: ExperimentConfig) -> str | None:
    if isinstance(config.entrypoint, dict):
        raise ConfigError("entrypoint: script: a script is not served yet, name a trial class")
    return config.entrypoint


@dataclass(frozen=True)
class _Found:
    """The checkpoint from which a run goes on, if it does."""

    path: Path | None = None
    state: checkpoint.State | None = None


def _what_is_in(options: RunOptions, info: TrialInfo, say: Callable[[str], None]) -> _Found:
    """What the results directory holds of an earlier run; nothing in it is ever overwritten."""
    out = options.out
    log = out / "metrics.jsonl"
    path = checkpoint.latest(out / "checkpoints")
    if options.resume:
        if not out.is_dir():
            raise ConfigError(f"--resume: {out}: no such directory")
        if path is not None:
            return _Found(path, checkpoint.read_state(path, info.hparams, info.seed))
        say(f"no checkpoint in {out}: the run starts at batch 0")
        if log.exists():
            log.replace(_free(log.with_suffix(".jsonl.before")))
        return _Found()
    if path is not None or (log.exists() and log.stat().st_size > 0):
        raise ConfigError(
            f"{out}: holds the results of a run: go on with --resume, "
            "or choose another directory with --out"
        )
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"--out {out}: cannot be made: {error.strerror}") from None
    return _Found()


def _free(path: Path) -> Path:
    """A name like this one that no file has."""
    names = (path, *(path.with_name(f"{path.name}.{number}") for number in range(1, 10_000)))
    return next(name for name in names if not name.exists())


def _notices(config: ExperimentConfig, info: TrialInfo) -> list[str]:
    lines = [f"{config.title}: seed {info.seed}"]
    searched = [name for name, spec in config.hyperparameters.items() if is_searched(spec)]
    if searched:
        drawn = ", ".join(f"{name}={info.hparams[name]!r}" for name in searched)
        lines.append(f"searcher {config.searcher.name}: one trial of it is trained, with {drawn}")
    return lines
