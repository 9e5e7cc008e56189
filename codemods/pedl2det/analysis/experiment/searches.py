"""Lengths (C102) and searches (C108); hyperparameters (C101, C103, C104, C107, C112)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from pedl2det.analysis.config import Config, Entry, whole_number
from pedl2det.analysis.text_rules import (
    GONE_SEARCHERS,
    SEARCHERS,
    SINGLE,
    ConfigFacts,
    Delete,
    Edit,
    Insert,
    Put,
    TextFinding,
    TextRule,
    config_example,
    known,
    leave_entry,
    number,
)
from pedl2det.findings import Kind

#: Searchers that counted ``target_trial_steps``; the others counted ``max_steps``.
_TARGETED = ("adaptive", "async_halving", "sync_halving")
_ASYNCHRONOUS = (
    "searcher.name: {new} stops trials as they report, {old} compared them in rounds, so that "
    "other trials are trained to the end"
)
_ESTIMATE = (
    "{name}: max_trials: {trials} is an estimate: the budget divided by the length of a trial, so "
    "that the search never trains more than the budget allowed; most trials stop early, and the "
    "old search started more of them"
)


def obstacle(config: Config) -> TextFinding | None:
    """What keeps a search from being converted.

    Lengths, periods and integer bounds are converted together or not at all, so that a second run
    still recognizes an old config.
    """
    searcher, old = config.entry("searcher"), config.scalar("searcher", "name")
    if searcher is None or not (config.counts_steps or old in GONE_SEARCHERS):
        return None
    if old not in {*SEARCHERS, *GONE_SEARCHERS} - {"pbt"}:  # no search evolves a population
        message = f"unknown searcher {old}" if old else "has no name"
        left = leave_entry(
            "C108", searcher, message, f"name: one of {', '.join(sorted(SEARCHERS))}"
        )
        return replace(left, kind=Kind.NOTE) if old == "pbt" else left
    unit, budget, length = _unit(config), _budget(config), _length(config)
    for entry in (unit, length, *config.periods):
        if entry is not None and number(entry, least=int(entry.path[0] == "searcher")) is None:
            message = "expected a positive whole number"
            return leave_entry("C102", entry, message, f"{entry.path[-1]}: a number")
    if budget is not None and None in (number(budget), number(length)):
        message = "gives no number of trials: it is not in steps"
        return leave_entry("C108", budget, message, "searcher.max_trials: the number of trials")
    return None


def _convert_lengths(config: Config, _: ConfigFacts) -> Iterator[Edit]:
    if obstacle(config) is not None:
        return
    length, unit = _length(config), _unit(config)
    steps = number(unit) if unit is not None else 100
    for entry in (length, *config.periods):
        if entry is not None:
            name = "max_length" if entry is length else entry.path[-1]
            batches = (number(entry, least=0) or 0) * (steps or 0)
            yield Put("C102", entry, name, str(batches), "batches")
    stated = config.entry("batches_per_step")
    if stated is not None:
        yield Put("C102", stated, "scheduling_unit")


def _convert_searcher(config: Config, _: ConfigFacts) -> Iterator[Edit | TextFinding]:
    stop = obstacle(config)
    if stop is not None:
        yield stop
        return
    name, old = config.entry("searcher", "name"), config.scalar("searcher", "name")
    if name is None or old not in {*SEARCHERS, *GONE_SEARCHERS}:
        return
    new = GONE_SEARCHERS.get(old, old)
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
        is_used = key in SEARCHERS[new] or entry in (length, budget)
        # C110 names keys that may be newer than this tool.
        if not is_used and (config.counts_steps or key in known("searcher")):
            yield Delete("C108", entry)


def _unit(config: Config) -> Entry | None:
    """The key for the number of batches in a step."""
    entries = (config.entry(name) for name in ("batches_per_step", "scheduling_unit"))
    return next((entry for entry in entries if entry is not None and not entry.is_null), None)


def _length(config: Config) -> Entry | None:
    if config.entry("searcher", "max_length") is not None:
        return None
    steps, target = (config.entry("searcher", name) for name in ("max_steps", "target_trial_steps"))
    is_targeted = config.scalar("searcher", "name") in _TARGETED
    return (target or steps) if is_targeted else (steps or target)


def _budget(config: Config) -> Entry | None:
    """The key that limits the number of trials, where ``max_trials`` does not."""
    name, trials = config.scalar("searcher", "name"), config.entry("searcher", "max_trials")
    if name not in ("adaptive", "sync_halving") or trials is not None:
        return None
    return config.entry("searcher", "step_budget") or config.entry("searcher", "budget")


_SECTION = "hyperparameters"
_FLOAT = re.compile(r"([-+]?)([0-9]+)(\.[0-9]*)?[eE]([-+]?)([0-9]+)")


def _rename_batch_size(config: Config, _: ConfigFacts) -> Iterator[Edit]:
    entry = config.entry(_SECTION, "batch_size")
    if entry is not None and config.entry(_SECTION, "global_batch_size") is None:
        yield Put("C101", entry, "global_batch_size")


def _lower_bounds(config: Config, _: ConfigFacts) -> Iterator[Edit | TextFinding]:
    searcher = config.scalar("searcher", "name")
    is_old = config.counts_steps or searcher in GONE_SEARCHERS
    if not is_old or searcher == "grid" or obstacle(config) is not None:
        return
    for spec in _specifications(config, "int"):
        low, high = (config.entry(*spec.path, name) for name in ("minval", "maxval"))
        least, most = (whole_number((end and end.scalar) or "") for end in (low, high))
        kind = config.entry(*spec.path, "type")
        if low is None or high is None or least is None or most is None or most <= least:
            message = "expected whole numbers, minval below maxval"
            yield leave_entry(
                "C103", spec, message, f"{spec.path[-1]}: {{type: const, val: {least}}}"
            )
        elif most - 1 == least and kind is not None:  # Determined refuses a range of one number
            yield Put("C103", kind, value="categorical")  # which is drawn as well
            yield from (Delete("C103", low), Delete("C103", high))
            yield Insert("C103", (*spec.path, "vals"), f"[{least}]")
        else:
            yield Put("C103", high, value=str(most - 1))
            message = f"{high.name}: {most} was never drawn, {most - 1} was"
            yield TextFinding("C103", high.line, Kind.NOTE, message)


def _write_floats(config: Config, facts: ConfigFacts) -> Iterator[Edit]:
    lowered = _lower_bounds(config, facts)
    written = [edit.path for edit in lowered if not isinstance(edit, TextFinding)]
    for entry in config.scalars():
        match = _FLOAT.fullmatch(entry.scalar or "")
        is_text = entry.is_plain and entry.value.tag == "tag:yaml.org,2002:str"
        is_text &= entry.path not in written
        if match is None or not is_text or config.text[entry.value.start_mark.index] == "!":
            continue
        sign, whole, fraction, exponent_sign, exponent = match.groups()
        fraction = fraction if fraction and fraction != "." else ".0"
        text = f"{sign}{whole}{fraction}e{exponent_sign or '+'}{exponent}"
        yield Put("C104", entry, value=text)


def _add_batch_size(config: Config, facts: ConfigFacts) -> Iterator[Edit | TextFinding]:
    names = ("global_batch_size", "batch_size")
    if facts.batch_size is None or any(config.entry(_SECTION, name) for name in names):
        return
    text = str(facts.batch_size * (number(config.entry("resources", "slots_per_trial")) or 1))
    section = config.entry(_SECTION)
    if section is None:
        yield Insert("C107", (_SECTION,), f"{{global_batch_size: {text}}}")
    else:
        yield Insert("C107", (_SECTION, "global_batch_size"), text, section.line)


def _add_bases(config: Config, _: ConfigFacts) -> Iterator[Edit]:
    for spec in _specifications(config, "log"):
        if config.entry(*spec.path, "base") is None:
            yield Insert("C112", (*spec.path, "base"), "10.0", spec.line)


def _specifications(config: Config, kind: str) -> Iterator[Entry]:
    """Every hyperparameter that is a mapping with a type, in groups too."""
    stack = config.entries(_SECTION)[::-1]
    while stack:
        entry = stack.pop()
        if config.scalar(*entry.path, "type") == kind:
            yield entry
        stack += config.entries(*entry.path)[::-1]


_RANDOM = "searcher:\n  name: random\n  metric: val_loss\n  max_trials: 8\n  max_steps: 10\n"
_RANDOM_NOW = _RANDOM.replace("max_steps: 10", "max_length:\n    batches: 1000")

RULES = (
    TextRule(
        "C102",
        "config-lengths",
        "A step is batches_per_step batches, 100 unless the config says otherwise. Lengths and "
        "periods are in batches; batches_per_step is scheduling_unit.",
        *config_example(
            "batches_per_step: 50\nmin_validation_period: 2\n"
            "searcher: {name: single, metric: val_loss, max_steps: 6}\nhyperparameters: {}\n",
            "scheduling_unit: 50\nmin_validation_period:\n  batches: 100\n"
            "searcher: {name: single, metric: val_loss, max_length: {batches: 300}}\n"
            "hyperparameters: {}\n",
        ),
        check=_convert_lengths,
    ),
    TextRule(
        "C108",
        "config-searches",
        "adaptive and adaptive_simple become adaptive_asha, sync_halving becomes async_halving; a "
        "budget becomes max_trials, the budget divided by the length of a trial. pbt is left. Keys "
        "that a searcher does not have go.",
        *config_example(
            "hyperparameters: {}\nsearcher:\n  name: adaptive\n  metric: val_loss\n"
            "  mode: standard\n  target_trial_steps: 64\n  step_budget: 640\n",
            "hyperparameters: {}\nsearcher:\n  name: adaptive_asha\n  metric: val_loss\n"
            "  mode: standard\n  max_length:\n    batches: 6400\n  max_trials: 10\n",
        ),
        check=_convert_searcher,
    ),
    TextRule(
        "C101",
        "config-batch-size",
        "The hyperparameter batch_size is called global_batch_size.",
        *config_example(
            "hyperparameters:\n  batch_size: 32  # records\n",
            "hyperparameters:\n  global_batch_size: 32  # records\n",
        ),
        check=_rename_batch_size,
    ),
    TextRule(
        "C103",
        "config-int-bounds",
        "The upper bound of an integer was excluded where a search drew values, before Determined "
        "0.17, and is included today; a range of one number is a choice of one, which is drawn as "
        "well. A grid always had both ends.",
        *config_example(
            "hyperparameters:\n  units: {type: int, minval: 1, maxval: 9}\n" + _RANDOM,
            "hyperparameters:\n  units: {type: int, minval: 1, maxval: 8}\n" + _RANDOM_NOW,
        ),
        check=_lower_bounds,
    ),
    TextRule(
        "C104",
        "config-floats",
        "PEDL read 1e-4 as a float (YAML 1.2); PyYAML reads text (YAML 1.1). 1.0e-4 is a float to "
        "both.",
        *config_example("hyperparameters:\n  rate: 1e-4\n", "hyperparameters:\n  rate: 1.0e-4\n"),
        check=_write_floats,
    ),
    TextRule(
        "C107",
        "config-script",
        "A config of a script without a batch size gets the global_batch_size that a trial needs: "
        "the size by which the script cuts its data, times the slots.",
        "const.yaml",
        f"entrypoint: {{script: train.py}}\nhyperparameters: {{units: 4}}\n{SINGLE}",
        f"entrypoint: model_def:T\nhyperparameters: {{units: 4, global_batch_size: 16}}\n{SINGLE}",
        check=_add_batch_size,
    ),
    TextRule(
        "C112",
        "config-hyperparameters",
        "A hyperparameter of type log has to name its base, 10 by default.",
        *config_example(
            "hyperparameters:\n  rate: {type: log, minval: -4, maxval: -2}\n",
            "hyperparameters:\n  rate: {type: log, minval: -4, maxval: -2, base: 10.0}\n",
        ),
        check=_add_bases,
    ),
)
