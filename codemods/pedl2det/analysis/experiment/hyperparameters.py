"""Hyperparameters: names (C101, C107), integer bounds (C103), floats (C104), bases (C112)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pedl2det.analysis.config import Config, Entry, whole_number
from pedl2det.analysis.experiment import keys
from pedl2det.analysis.experiment.edits import ConfigFacts, Edit, Insert, Put, left, number
from pedl2det.analysis.experiment.examples import SINGLE, config_example
from pedl2det.analysis.experiment.searches import obstacle
from pedl2det.analysis.text_rules import TextFinding, TextRule
from pedl2det.findings import Kind

_SECTION = "hyperparameters"
_FLOAT = re.compile(r"([-+]?)([0-9]+)(\.[0-9]*)?[eE]([-+]?)([0-9]+)")


def _batch_size(config: Config, _: ConfigFacts) -> Iterator[Edit]:
    entry = config.entry(_SECTION, "batch_size")
    if entry is not None and config.entry(_SECTION, "global_batch_size") is None:
        yield Put("C101", entry, "global_batch_size")


def _bounds(config: Config, _: ConfigFacts) -> Iterator[Edit | TextFinding]:
    """Lower the upper bound of integers, which searches excluded before Determined 0.17."""
    searcher = config.scalar("searcher", "name")
    is_old = config.counts_steps or searcher in keys.GONE_SEARCHERS
    if not is_old or searcher == "grid" or obstacle(config) is not None:
        return
    for spec in _specifications(config, "int"):
        low, high = (config.entry(*spec.path, name) for name in ("minval", "maxval"))
        least, most = (whole_number((end and end.scalar) or "") for end in (low, high))
        if high is None or least is None or most is None:
            message = "expected whole numbers as minval and maxval"
            yield left("C103", spec, message, "maxval: a number")
        elif most <= least:
            message = f"no whole number is below {most} and at least {least}"
            yield left("C103", high, message, "")
        elif most - 1 == least:  # a range of one number is rejected
            message = f"{least} is the only number below {most}"
            yield left("C103", spec, message, f"{spec.path[-1]}: {{type: const, val: {least}}}")
        else:
            yield Put("C103", high, value=str(most - 1))
            message = f"{high.name}: {most} was never drawn, {most - 1} was"
            yield TextFinding("C103", high.line, Kind.NOTE, message)


def _floats(config: Config, _: ConfigFacts) -> Iterator[Edit]:
    """Write ``1e-4`` as ``1.0e-4``: YAML 1.1 reads the first as text, YAML 1.2 as a float."""
    for entry in config.scalars():
        match = _FLOAT.fullmatch(entry.scalar or "")
        is_text = entry.is_plain and entry.value.tag == "tag:yaml.org,2002:str"
        if match is None or not is_text or config.text[entry.value.start_mark.index] == "!":
            continue
        sign, whole, fraction, exponent_sign, exponent = match.groups()
        fraction = fraction if fraction and fraction != "." else ".0"
        text = f"{sign}{whole}{fraction}e{exponent_sign or '+'}{exponent}"
        yield Put("C104", entry, value=text)


def _script_batch_size(config: Config, facts: ConfigFacts) -> Iterator[Edit | TextFinding]:
    """Give a config the batch size that its script cuts data by."""
    if facts.batch_size is None:
        return
    sizes = (config.entry(_SECTION, name) for name in ("global_batch_size", "batch_size"))
    present = next((size for size in sizes if size is not None), None)
    if present is not None:
        if number(present) != facts.batch_size:
            message = f"the script cuts batches of {facts.batch_size} records, whatever this says"
            yield left("C107", present, message, f"global_batch_size: {facts.batch_size}")
        return
    text = str(facts.batch_size * (number(config.entry("resources", "slots_per_trial")) or 1))
    section = config.entry(_SECTION)
    if section is None:
        yield Insert("C107", (_SECTION,), f"{{global_batch_size: {text}}}")
    else:
        yield Insert("C107", (_SECTION, "global_batch_size"), text, section.line)


def _bases(config: Config, _: ConfigFacts) -> Iterator[Edit]:
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
        "C101",
        "config-batch-size",
        "The hyperparameter batch_size is called global_batch_size.",
        *config_example(
            "hyperparameters:\n  batch_size: 32  # records\n",
            "hyperparameters:\n  global_batch_size: 32  # records\n",
        ),
        check=_batch_size,
    ),
    TextRule(
        "C103",
        "config-int-bounds",
        "The upper bound of an integer was excluded where a search drew values, before Determined "
        "0.17, and is included today. A range of one number is left. A grid always had both ends.",
        *config_example(
            "hyperparameters:\n  units: {type: int, minval: 1, maxval: 9}\n",
            "hyperparameters:\n  units: {type: int, minval: 1, maxval: 8}\n",
            _RANDOM,
            _RANDOM_NOW,
        ),
        check=_bounds,
    ),
    TextRule(
        "C104",
        "config-floats",
        "PEDL read 1e-4 as a float (YAML 1.2); PyYAML reads text (YAML 1.1). 1.0e-4 is a float to "
        "both.",
        *config_example("hyperparameters:\n  rate: 1e-4\n", "hyperparameters:\n  rate: 1.0e-4\n"),
        check=_floats,
    ),
    TextRule(
        "C107",
        "config-script",
        "The config of a script gets the global_batch_size that a trial needs: the size by which "
        "the script cuts its data, times the slots.",
        "const.yaml",
        f"entrypoint: {{script: train.py}}\nhyperparameters: {{units: 4}}\n{SINGLE}",
        f"entrypoint: model_def:T\nhyperparameters: {{units: 4, global_batch_size: 16}}\n{SINGLE}",
        check=_script_batch_size,
    ),
    TextRule(
        "C112",
        "config-hyperparameters",
        "A hyperparameter of type log has to name its base, 10 by default.",
        *config_example(
            "hyperparameters:\n  rate: {type: log, minval: -4, maxval: -2}\n",
            "hyperparameters:\n  rate: {type: log, minval: -4, maxval: -2, base: 10.0}\n",
        ),
        check=_bases,
    ),
)
