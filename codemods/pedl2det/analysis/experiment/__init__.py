"""Convert an experiment config to what Determined 0.38.1 accepts.

Pure: a rule reads a config and facts about the trial, and yields edits and findings. The rules
do not depend on their order. Here are those about a config's trial (C105) and metric (C106), old
keys (C109, C110).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import yaml

from pedl2det.analysis.config import Config, Entry, is_old_image
from pedl2det.analysis.experiment import searches
from pedl2det.analysis.text_rules import (
    SECTIONS,
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
)
from pedl2det.findings import Kind


def _convert_entrypoint(config: Config, facts: ConfigFacts) -> Iterator[Edit | TextFinding]:
    present, plural, new = config.entry("entrypoint"), config.entry("entrypoints"), facts.entrypoint
    if plural is not None:
        named = config.scalar("entrypoints", "trial_class")
        text = new or named
        is_other = named and named.rpartition(":")[2] != text.rpartition(":")[2]
        if present is not None or not text or is_other:
            message = f"is not the one trial of this config: {named or 'no trial_class'}"
            yield leave_entry("C105", plural, message, f"entrypoint: {text or 'module:Class'}")
        else:
            yield Put("C105", plural, "entrypoint", text)
    elif present is None or present.is_null:
        if new is not None:
            if present is not None:
                yield Delete("C105", present)
            yield Insert("C105", ("entrypoint",), new, config.text.count("\n") + 1)
    elif present.scalar is not None:
        if new is not None and present.scalar.startswith(":") and present.scalar != new:
            yield Put("C105", present, value=new)  # the trial is in the package itself
    elif present.is_mapping:  # else it is a command, as Determined has it
        if new is None or len(config.entries("entrypoint")) > 1:
            message = "names a script, from which no trial was made, or more than a script"
            yield leave_entry("C105", present, message, "entrypoint: module:Class")
        else:
            yield Put("C105", present, "entrypoint", new)


def _rename_metric(config: Config, facts: ConfigFacts) -> Iterator[Edit | TextFinding]:
    entry = config.entry("searcher", "metric")
    if entry is None or entry.scalar is None:
        return
    old = entry.scalar
    new = facts.metric_renames.get(old, old)
    if new != old:
        yield Put("C106", entry, value=new)
        message = f"searcher.metric: what was reported as {old} is {new}"
        yield TextFinding("C106", entry.line, Kind.NOTE, message)


#: Old keys without an effect: an image of Determined and slots_per_trial replace them.
GONE = {
    ("data_layer",),
    ("environment", "base_image"),
    ("environment", "keras"),
    ("environment", "tensorflow"),
    ("resources", "distributed"),
    ("resources", "native_parallel"),
}
#: Keys that a file startup-hook.sh beside the trial replaces.
HOOKED = {("environment", "runtime_commands"), ("environment", "runtime_packages")}
_IMAGE = ("environment", "image")
_HOOK = "startup-hook.sh: "


def _remove_old_keys(config: Config, facts: ConfigFacts) -> Iterator[Edit | TextFinding]:
    old_image = _old_image(config) if facts.is_rewritten else ""
    for section in ((), *((name,) for name in SECTIONS)):
        entries = config.entries(*section)
        gone = [entry for entry in entries if _is_gone(config, entry, bool(old_image))]
        whole = config.entry(*section) if gone and len(gone) == len(entries) else None
        if whole is not None:
            yield Delete("C109", whole, tuple(line for entry in gone for line in _hook(entry)))
        for entry in gone if whole is None else ():
            yield Delete("C109", entry, _hook(entry))
    image = config.entry(*_IMAGE)
    if image is not None and old_image:
        message = f"environment.image was {old_image}: a migrated trial needs TensorFlow 2.15"
        help_ = "name a newer one, unless the cluster's default image will do"
        yield TextFinding("C109", image.line, Kind.NOTE, message, help_)


def _old_image(config: Config) -> str:
    """The image of a config whose TensorFlow is too old for a migrated trial, or nothing."""
    entries = *config.entries(*_IMAGE), config.entry(*_IMAGE)
    texts = [entry.scalar or "" for entry in entries if entry is not None]
    return next(filter(is_old_image, texts), "")


def _is_gone(config: Config, entry: Entry, has_old_image: bool) -> bool:
    """Whether a key has no effect today, as unknown keys in sections of a config in steps."""
    section, name = entry.path[0], entry.path[-1]
    names = known(section) if len(entry.path) > 1 and config.counts_steps else {name}
    is_old = has_old_image and entry.path == _IMAGE
    return is_old or entry.path in GONE | HOOKED or name not in names


def _hook(entry: Entry) -> tuple[str, ...]:
    """The lines of ``startup-hook.sh`` that do what a key asked for."""
    if entry.path not in HOOKED:
        return ()
    node = entry.value
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    texts = [str(item.value) for item in items if isinstance(item, yaml.ScalarNode)]
    if entry.path[-1] == "runtime_packages":
        packages = " ".join(shlex.quote(text) for text in texts)
        return (f"{_HOOK}pip install {packages}",) if packages else ()
    return tuple(f"{_HOOK}{' '.join(text.split())}" for text in texts if text.strip())


def _leave_unknown_keys(config: Config, facts: ConfigFacts) -> Iterator[TextFinding]:
    for section in ("", *SECTIONS, "searcher") if facts.cluster else ():
        if section and config.counts_steps:
            return  # C108 and C109 remove what sections do not know
        for entry in config.entries(*filter(None, [section])):
            if entry.path[-1] not in known(section) and entry.path not in GONE | HOOKED:
                message = "not a key of Determined, which rejects configs with such keys"
                help_ = "move what the trial reads below data:, and remove the rest"
                yield leave_entry("C110", entry, message, help_)


RULES = (
    TextRule(  # what cannot be read or written
        "C100",
        "config-unreadable",
        "A config that is not YAML, has a key twice, or cannot be edited without changing its "
        "meaning is left, and no longer runs.",
        *config_example("hyperparameters: {a: 1, a: 2}\n"),
    ),
    *searches.RULES,
    TextRule(
        "C105",
        "config-entrypoint",
        "PEDL took the only trial of the package, or the parts that entrypoints named. A config "
        "names its trial as module:Class.",
        "const.yaml",
        f"entrypoints:\n  trial_class: model_def:T\nhyperparameters: {{}}\n{SINGLE}",
        f"entrypoint: model_def:T\nhyperparameters: {{}}\n{SINGLE}",
        check=_convert_entrypoint,
    ),
    TextRule(
        "C106",
        "config-metric",
        "searcher.metric follows the trial: val_ before the metrics of a KerasTrial, val_accuracy "
        "for val_acc where the trial says accuracy.",
        *config_example(
            "hyperparameters: {}\n" + SINGLE.replace("val_loss", "val_acc"),
            "hyperparameters: {}\n" + SINGLE.replace("val_loss", "val_accuracy"),
        ),
        check=_rename_metric,
    ),
    TextRule(
        "C109",
        "config-removed-keys",
        "Keys that had an effect on PEDL or early Determined and are rejected today go: versions "
        "of TensorFlow and Keras, resources.distributed, data_layer. Packages and commands of the "
        "environment become a comment that says what startup-hook.sh does.",
        *config_example(
            "hyperparameters: {}\nenvironment:\n  runtime_packages: [pandas]\n",
            "hyperparameters: {}\n# startup-hook.sh: pip install pandas\n",
        ),
        check=_remove_old_keys,
    ),
    TextRule(
        "C110",
        "config-unknown-keys",
        "Determined rejects a config with keys that it does not know. They stay, because the "
        "trial may read them: for a cluster they are left, and pedl2det run names them.",
        *config_example("hyperparameters: {}\nteam: {owner: ada}\n"),
        check=_leave_unknown_keys,
    ),
)


def convert(config: Config, facts: ConfigFacts) -> tuple[list[Edit], list[TextFinding]]:
    """Return the edits that a config needs, and what a user should know about them, by line."""
    edits: list[Edit] = []
    findings: list[TextFinding] = []
    for rule in RULES:
        for result in rule.check(config, facts) if rule.check else ():
            (findings if isinstance(result, TextFinding) else edits).append(result)
    return sorted(edits, key=_place), sorted(findings, key=_place)


def _place(result: Edit | TextFinding) -> tuple[int, str]:
    return result.line, result.rule
