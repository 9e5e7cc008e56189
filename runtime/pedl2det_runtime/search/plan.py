"""What the searcher of a config means: its points, and how long each is trained. Pure."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.config.hparams import grid, sample_hparams
from pedl2det_runtime.config.lengths import Length
from pedl2det_runtime.errors import ConfigError
from pedl2det_runtime.search.halving import Halving, brackets_of, most_rungs, shared_trials

_ADAPTIVE = ("adaptive", "adaptive_simple", "adaptive_asha")
_ONE_BRACKET = ("async_halving", "sync_halving")
_MODES = ("aggressive", "standard", "conservative")
#: Trials at a time where the config does not say.
CONCURRENT = 16


@dataclass(frozen=True)
class Point:
    """One trial of a search."""

    number: int  #: its number, from 0
    hparams: dict[str, Any]  #: the values of its hyperparameters
    seed: int  #: its trial seed
    rungs: tuple[int, ...]  #: where it may stop, in batches; the last is its whole length
    bracket: int = 0  #: the bracket in which it competes


@dataclass(frozen=True)
class Plan:
    """A whole search."""

    points: tuple[Point, ...]  #: its trials
    halving: Halving | None  #: the rule by which trials stop early; None if all train to their end
    concurrent: int  #: the most trials at a time


def plan_of(
    config: ExperimentConfig, max_trials: int | None = None, max_batches: int | None = None
) -> Plan:
    """Return what a config searches.

    The hyperparameters and the seed of a trial depend on ``reproducibility.experiment_seed`` and on
    its number alone: not on what other trials did, or on how many ran at a time. ``max_trials`` and
    ``max_batches`` limit the search, whatever the config says.

    Raises:
        ConfigError: the config has no search, or an incomplete one.
    """
    values = [*grid(config)] if config.searcher.name == "grid" else None
    wanted = len(values) if values is not None else _trials(config)
    count = min(wanted, max_trials or wanted)
    halving = _halving(config, count)
    points = []
    for number in range(count):
        hparams = values[number] if values is not None else sample_hparams(config, number)
        bracket = halving.bracket(number) if halving else 0
        length = _length(config, hparams)
        length = min(length, max_batches or length)
        rungs = halving.lengths(bracket, length) if halving else [length]
        seed = _seed(config, number)
        points.append(Point(number, hparams, seed, tuple(dict.fromkeys(rungs)), bracket))
    concurrent = _number(config, "max_concurrent_trials", CONCURRENT)
    return Plan(tuple(points), halving, concurrent or count)


def _trials(config: ExperimentConfig) -> int:
    """Return the number of trials that a config asks for."""
    name, more = config.searcher.name, config.searcher.model_extra or {}
    if name == "single":
        raise ConfigError(f"{_place(config, 'name')}: single has one trial: train it with run")
    if name == "pbt":
        raise ConfigError(f"{_place(config, 'name')}: pbt is not served: search with random")
    if more.get("max_trials") is None and more.get("step_budget") is not None:
        length = config.searcher.target_trial_steps or config.searcher.max_steps or 1
        return max(_number(config, "step_budget", 1) // length, 1)
    return _number(config, "max_trials", None, least=1)


def _halving(config: ExperimentConfig, trials: int) -> Halving | None:
    name, more = config.searcher.name, config.searcher.model_extra or {}
    if name not in (*_ADAPTIVE, *_ONE_BRACKET):
        return None
    divisor, mode = more.get("divisor", 4), more.get("mode", "standard")
    if isinstance(divisor, bool) or not isinstance(divisor, int | float) or divisor <= 1:
        place = _place(config, "divisor")
        raise ConfigError(f"{place}: expected a number above 1, got {divisor!r}")
    if name in _ONE_BRACKET:
        return Halving(divisor, (_number(config, "num_rungs", 5, least=1),), (trials,))
    if mode not in _MODES:
        place = _place(config, "mode")
        raise ConfigError(f"{place}: expected one of {', '.join(_MODES)}, got {mode!r}")
    length = config.searcher.length
    units = (
        max(length.model_dump(exclude_none=True).values()) if isinstance(length, Length) else length
    )
    most = most_rungs(_number(config, "max_rungs", 5, least=1), divisor, units or 1, trials)
    rungs = _bracket_rungs(config) or brackets_of(mode, most)
    rungs = rungs[:trials]
    return Halving(divisor, rungs, shared_trials(rungs, divisor, trials))


def _bracket_rungs(config: ExperimentConfig) -> tuple[int, ...]:
    rungs = (config.searcher.model_extra or {}).get("bracket_rungs") or ()
    if not isinstance(rungs, list | tuple) or not all(
        type(count) is int and count > 0 for count in rungs
    ):
        place = _place(config, "bracket_rungs")
        raise ConfigError(f"{place}: expected whole numbers above 0, got {rungs!r}")
    return tuple(sorted(rungs, reverse=True))


def _length(config: ExperimentConfig, hparams: dict[str, Any]) -> int:
    """Return the batches of a trial; its batch size may be a hyperparameter of the search."""
    size = hparams.get("global_batch_size", hparams.get("batch_size", 1))
    try:
        return max(config.training_batches(size if type(size) is int and size > 0 else 1), 1)
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _number(config: ExperimentConfig, key: str, default: int | None, least: int = 0) -> int:
    value = (config.searcher.model_extra or {}).get(key)
    value = default if value is None else value
    if type(value) is not int or value < least:
        place = _place(config, key)
        raise ConfigError(
            f"{place}: searcher {config.searcher.name} needs {key}"
            if value is None
            else f"{place}: expected a whole number of at least {least}, got {value!r}"
        )
    return value


def _place(config: ExperimentConfig, key: str) -> str:
    return config.location("searcher", key)


def _seed(config: ExperimentConfig, number: int) -> int:
    """Return the seed of a trial, drawn from that of the experiment."""
    seeds = random.Random(f"seed {number} of {config.reproducibility.experiment_seed}")
    return seeds.randrange(2**31)
