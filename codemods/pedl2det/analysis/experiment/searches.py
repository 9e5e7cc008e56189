"""C102: lengths in batches. C108: searches of old."""

from __future__ import annotations

from collections.abc import Iterator

from pedl2det.analysis.config import PERIODS, Config, Entry
from pedl2det.analysis.experiment import keys
from pedl2det.analysis.experiment.edits import ConfigFacts, Delete, Edit, Put, left, number
from pedl2det.analysis.experiment.examples import config_example
from pedl2det.analysis.text_rules import TextFinding, TextRule
from pedl2det.findings import Kind

#: Searchers that counted ``target_trial_steps``; the others counted ``max_steps``.
_TARGETED = ("adaptive", "async_halving", "sync_halving")
_ASYNCHRONOUS = (
    "searcher.name: {new} stops trials as they report, {old} compared them in rounds, so that "
    "other trials are trained to the end"
)
_STRAGGLERS = (
    "{name}: {new} has no train_stragglers: it leaves trials that are not promoted where they "
    "are; stop_once: true is nearest to train_stragglers: false"
)
_NO_POPULATION = "no search of today evolves a population: random trains each trial by itself"
_ESTIMATE = (
    "{name}: max_trials: {trials} is an estimate: the budget divided by the length of a trial, so "
    "that the search never trains more than the budget allowed; most trials stop early, and the "
    "old search started more of them"
)


def obstacle(config: Config) -> TextFinding | None:
    """What keeps a search from being converted.

    Lengths, periods and integer bounds are converted all together or not at all: what is left
    tells a second run that the config is an old one.
    """
    name, old = config.entry("searcher", "name"), config.scalar("searcher", "name")
    if name is not None and old == "pbt":
        return left("C108", name, _NO_POPULATION, "name: random, with max_trials and max_length")
    if not config.counts_steps and old not in keys.GONE_SEARCHERS:
        return None
    if old not in {*keys.SEARCHERS, *keys.GONE_SEARCHERS}:
        entry = name or config.entry("searcher")
        assert entry is not None  # or this would be no experiment config
        message = f"unknown searcher {old}" if name else "has no name"
        return left("C108", entry, message, f"use one of {', '.join(sorted(keys.SEARCHERS))}")
    unit, budget, length = _unit(config), _budget(config), _length(config)
    for entry in (unit, length, *_periods(config)):
        if entry is not None and number(entry, least=int(entry.path[0] == "searcher")) is None:
            message = "expected a positive whole number"
            return left("C102", entry, message, f"{entry.path[-1]}: a number")
    if budget is not None and None in (number(budget), number(length)):
        message = "gives no number of trials: it is not in steps"
        return left("C108", budget, message, "searcher.max_trials: the number of trials")
    return None


def _lengths(config: Config, _: ConfigFacts) -> Iterator[Edit]:
    if obstacle(config) is not None:
        return
    length, unit = _length(config), _unit(config)
    steps = number(unit) if unit is not None else 100
    for entry in (length, *_periods(config)):
        if entry is not None:
            name = "max_length" if entry is length else entry.path[-1]
            batches = (number(entry, least=0) or 0) * (steps or 0)
            yield Put("C102", entry, name, str(batches), "batches")
    stated = config.entry("batches_per_step")
    if stated is not None:
        yield Put("C102", stated, "scheduling_unit")


def _searches(config: Config, _: ConfigFacts) -> Iterator[Edit | TextFinding]:
    """Convert a searcher that is gone, and its keys."""
    stop = obstacle(config)
    if stop is not None:
        yield stop
        return
    name, old = config.entry("searcher", "name"), config.scalar("searcher", "name")
    if name is None or old not in {*keys.SEARCHERS, *keys.GONE_SEARCHERS}:
        return
    new = keys.GONE_SEARCHERS.get(old, old)
    if new != old:
        yield Put("C108", name, value=new)
        message = _ASYNCHRONOUS.format(old=old, new=new)
        yield TextFinding("C108", name.line, Kind.DIFFERENT, message)
    length, budget = _length(config), _budget(config)
    if budget is not None:
        trials = max((number(budget) or 0) // (number(length) or 1), 1)
        yield Put("C108", budget, "max_trials", str(trials))
        message = _ESTIMATE.format(name=budget.name, trials=trials)
        help_ = "raise max_trials to search more widely"
        yield TextFinding("C108", budget.line, Kind.DIFFERENT, message, help_)
    for entry in config.entries("searcher"):
        key = entry.path[-1]
        is_used = key in keys.SEARCHERS[new] or entry in (length, budget)
        if is_used or not (config.counts_steps or key in keys.known("searcher")):
            continue  # C110 names keys that may be newer than this tool
        if key == "train_stragglers":
            message = _STRAGGLERS.format(name=entry.name, new=new)
            yield TextFinding("C108", entry.line, Kind.DIFFERENT, message)
        yield Delete("C108", entry)


def _unit(config: Config) -> Entry | None:
    """What says how many batches a step has."""
    entries = (config.entry(name) for name in ("batches_per_step", "scheduling_unit"))
    return next((entry for entry in entries if entry is not None and not entry.is_null), None)


def _length(config: Config) -> Entry | None:
    """The length of a trial in steps."""
    if config.entry("searcher", "max_length") is not None:
        return None
    names = ["max_steps", "target_trial_steps"]
    if config.scalar("searcher", "name") in _TARGETED:
        names.reverse()
    entries = (config.entry("searcher", name) for name in names)
    return next((entry for entry in entries if entry is not None), None)


def _periods(config: Config) -> list[Entry]:
    """The periods that are in steps."""
    periods = (config.entry(name) for name in PERIODS)
    return [one for one in periods if one and one.scalar is not None and not one.is_null]


def _budget(config: Config) -> Entry | None:
    """What says how many trials there are, where ``max_trials`` does not."""
    name, trials = config.scalar("searcher", "name"), config.entry("searcher", "max_trials")
    if name not in ("adaptive", "sync_halving") or trials is not None:
        return None
    return config.entry("searcher", "step_budget") or config.entry("searcher", "budget")


RULES = (
    TextRule(
        "C102",
        "config-lengths",
        "A step is batches_per_step batches, 100 unless the config says otherwise. Lengths and "
        "periods are in batches; batches_per_step is scheduling_unit.",
        *config_example(
            "batches_per_step: 50\nmin_validation_period: 2\n",
            "scheduling_unit: 50\nmin_validation_period:\n  batches: 100\n",
            "searcher: {name: single, metric: val_loss, max_steps: 6}\nhyperparameters: {}\n",
            "searcher: {name: single, metric: val_loss, max_length: {batches: 300}}\n"
            "hyperparameters: {}\n",
        ),
        check=_lengths,
    ),
    TextRule(
        "C108",
        "config-searches",
        "adaptive and adaptive_simple become adaptive_asha, sync_halving becomes async_halving; a "
        "budget becomes max_trials, the budget divided by the length of a trial. pbt is left. Keys "
        "that a searcher does not have go.",
        *config_example(
            "hyperparameters: {}\n",
            "hyperparameters: {}\n",
            "searcher:\n  name: adaptive\n  metric: val_loss\n  mode: standard\n"
            "  target_trial_steps: 64\n  step_budget: 640\n",
            "searcher:\n  name: adaptive_asha\n  metric: val_loss\n  mode: standard\n"
            "  max_length:\n    batches: 6400\n  max_trials: 10\n",
        ),
        check=_searches,
    ),
)
