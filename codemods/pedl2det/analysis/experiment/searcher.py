"""C108: searches of old. C102: their lengths."""

from __future__ import annotations

from collections.abc import Iterator

from pedl2det.analysis.config import Config, Entry
from pedl2det.analysis.experiment import keys
from pedl2det.analysis.experiment.changes import Change, Delete, Flatten, Nest, Rename, Replace
from pedl2det.analysis.experiment.result import ConfigFacts, Converted, Remark, Result, left, number

SEARCHES, LENGTHS = "C108", "C102"
#: Searchers that counted ``target_trial_steps``; the others counted ``max_steps``.
_TARGETED = ("adaptive", "async_halving", "sync_halving")
_ASYNCHRONOUS = (
    "{new} stops trials as they report, {old} compared them in rounds, so that other trials are "
    "trained to the end"
)
_NO_POPULATION = "no search of today evolves a population: random trains each trial by itself"
_NO_STRAGGLERS = (
    "{new} has no train_stragglers: it leaves trials that are not promoted where they are; "
    "stop_once: true is nearest to train_stragglers: false"
)


def per_step(config: Config, facts: ConfigFacts) -> int | None:
    """The batches of a step, or None if the config does not give a number."""
    for name in ("batches_per_step", "scheduling_unit"):
        entry = config.entry(name)
        if entry is not None and not entry.is_null:
            return number(entry)
    return facts.batches_per_step


def obstacle(config: Config, facts: ConfigFacts) -> Remark | None:
    """What keeps the lengths of a config from being converted.

    Lengths, periods and integer bounds are converted all together or not at all: what is left
    tells a second run that the config is an old one.
    """
    name = config.entry("searcher", "name")
    if name is not None and name.scalar == "pbt":
        return left(SEARCHES, name, _NO_POPULATION, "name: random, with max_trials and max_length")
    known = {*keys.SEARCHERS, *keys.GONE_SEARCHERS}
    if name is None or (
        name.scalar not in known and (name.scalar != "custom" or config.counts_steps)
    ):
        return _unnamed(config, name)
    if per_step(config, facts) is None:
        entry = config.entry("batches_per_step") or config.entry("scheduling_unit")
        assert entry is not None
        return _not_a_number(LENGTHS, entry, "batches")
    for entry in _steps(config):
        if number(entry) is None:
            return _not_a_number(LENGTHS, entry, "steps")
    budget = _budget(config)
    if budget is not None and config.entry("searcher", "max_trials") is None:
        trials = _max_trials(config, budget)
        if trials is None:
            message = "gives no number of trials: it is in other units than the length of a trial"
            return left(SEARCHES, budget, message, "searcher.max_trials: the number of trials")
    return None


def _unnamed(config: Config, name: Entry | None) -> Remark:
    """A searcher that nobody knows."""
    expected = f"use one of {', '.join(sorted(keys.SEARCHERS))}"
    if name is not None:
        return left(SEARCHES, name, f"unknown searcher {name.scalar}", expected)
    searcher = config.entry("searcher")
    assert searcher is not None  # or this would be no experiment config
    return left(SEARCHES, searcher, "has no name", expected)


def lengths(config: Config, facts: ConfigFacts) -> Iterator[Result]:
    """Convert the length of a trial from steps to batches."""
    steps = per_step(config, facts)
    if obstacle(config, facts) is not None or steps is None:
        return
    length = _length(config)
    if length is not None:
        batches = (number(length) or 0) * steps
        message = f"{length.name}: {length.scalar} steps are {batches} batches"
        change = Nest(length.path, "max_length", "batches", str(batches))
        yield Converted(LENGTHS, length.line, message, (change,))


def searches(config: Config, facts: ConfigFacts) -> Iterator[Result]:
    """Convert a searcher that is gone, and its keys."""
    stop = obstacle(config, facts)
    if stop is not None:
        yield stop
        return
    name = config.entry("searcher", "name")
    old = (name and name.scalar) or ""
    if name is None or old not in {*keys.SEARCHERS, *keys.GONE_SEARCHERS}:
        return
    since, new = keys.GONE_SEARCHERS.get(old, ("", old))
    if new != old:
        message = f"searcher.name: {old}, removed in Determined {since}, is {new}"
        yield Converted(SEARCHES, name.line, message, (Replace(name.path, new),))
        text = _ASYNCHRONOUS.format(old=old, new=new)
        yield Remark(SEARCHES, name.line, "different", f"searcher.name: {text}")
    yield from _budgets(config)
    yield from _other_keys(config, new)
    yield from _missing(config, new, facts)


def _budgets(config: Config) -> Iterator[Result]:
    budget = _budget(config)
    if budget is None or config.entry("searcher", "max_trials") is not None:
        return
    trials = _max_trials(config, budget)
    changes: tuple[Change, ...] = (Flatten(budget.path, "max_trials", str(trials)),)
    if budget.scalar is not None:
        changes = (Rename(budget.path, "max_trials"), Replace(budget.path, str(trials)))
    message = f"{budget.name} is max_trials: {trials}"
    yield Converted(SEARCHES, budget.line, message, changes)
    text = (
        f"{budget.name}: max_trials: {trials} is an estimate: the budget divided by the length "
        "of a trial, so that the search never trains more than the budget allowed; most trials "
        "stop early, and the old search started more of them"
    )
    yield Remark(SEARCHES, budget.line, "different", text, "raise max_trials to search more widely")


def _other_keys(config: Config, new: str) -> Iterator[Result]:
    """Remove keys that the searcher does not have."""
    used = {one.path for one in (_length(config), _budget(config)) if one is not None}
    for entry in config.entries("searcher"):
        key = entry.path[-1]
        if key in keys.SEARCHERS[new] or (entry.path in used and not _is_spare(config, entry)):
            continue
        is_old = key in keys.OLD_SEARCHER_KEYS or any(key in one for one in keys.SEARCHERS.values())
        if not is_old and not config.counts_steps:
            continue  # C110 names keys that may be newer than this tool
        if key == "train_stragglers":
            message = f"{entry.name}: {_NO_STRAGGLERS.format(new=new)}"
            yield Remark(SEARCHES, entry.line, "different", message)
            text = f"{entry.name} is removed: {new} has none"
        else:
            text = f"{entry.name} is removed: it had no effect on this search, and is rejected now"
        yield Converted(SEARCHES, entry.line, text, (Delete(entry.path),))


def _is_spare(config: Config, entry: Entry) -> bool:
    """Whether a budget stands beside ``max_trials``, which says how many trials there are."""
    is_budget = entry.path[-1] in ("budget", "step_budget")
    return is_budget and config.entry("searcher", "max_trials") is not None


def _missing(config: Config, new: str, facts: ConfigFacts) -> Iterator[Result]:
    searcher, budget = config.entry("searcher"), _budget(config)
    assert searcher is not None
    for key in keys.SEARCHER_NEEDS.get(new, ()):
        has_budget = key == "max_trials" and budget is not None
        if config.entry("searcher", key) is not None or has_budget:
            continue
        message = f"searcher: {new} needs {key} on a cluster"
        help_ = f"searcher.{key}: ..."
        mark = searcher.path if facts.cluster else None
        kind = "left" if facts.cluster else "note"
        yield Remark(SEARCHES, searcher.line, kind, message, help_, mark)  # type: ignore[arg-type]


def _steps(config: Config) -> Iterator[Entry]:
    """Every number of steps that becomes something else."""
    length, budget = _length(config), _budget(config)
    if length is not None:
        yield length
    if budget is not None and not budget.is_mapping:
        yield budget


def _length(config: Config) -> Entry | None:
    """The length of a trial in steps."""
    if config.entry("searcher", "max_length") is not None:
        return None
    name = config.entry("searcher", "name")
    wanted = ["max_steps", "target_trial_steps"]
    if name is not None and name.scalar in _TARGETED:
        wanted.reverse()
    found = (config.entry("searcher", key) for key in wanted)
    return next((entry for entry in found if entry is not None), None)


def _budget(config: Config) -> Entry | None:
    name = config.entry("searcher", "name")
    if name is None or name.scalar not in ("adaptive", "sync_halving"):
        return None
    return config.entry("searcher", "step_budget") or config.entry("searcher", "budget")


def _max_trials(config: Config, budget: Entry) -> int | None:
    """The trials that a budget would train to the end."""
    total, length = number(budget), number(_length(config))
    if budget.is_mapping:
        (unit, total), (other, length) = (
            _amount(config, budget),
            _amount(config, config.entry("searcher", "max_length")),
        )
        if unit != other:
            return None
    return max(total // length, 1) if total and length else None


def _amount(config: Config, entry: Entry | None) -> tuple[str, int | None]:
    pairs = config.entries(*entry.path) if entry is not None else []
    return (pairs[0].path[-1], number(pairs[0])) if len(pairs) == 1 else ("", None)


def _not_a_number(rule: str, entry: Entry, what: str) -> Remark:
    message = f"expected a positive whole number of {what}"
    return left(rule, entry, message, f"{entry.path[-1]}: a number")
