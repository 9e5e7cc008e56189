"""Keys that Determined rejects: those that a successor serves (C109), and all others (C110)."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterator

import yaml

from pedl2det.analysis.config import Config, Entry
from pedl2det.analysis.experiment import keys
from pedl2det.analysis.experiment.edits import ConfigFacts, Delete, Edit
from pedl2det.analysis.experiment.examples import config_example
from pedl2det.analysis.images import OLD_IMAGE, is_old_image
from pedl2det.analysis.text_rules import TextFinding, TextRule
from pedl2det.findings import Kind

#: Keys of old that have no effect: an image of Determined and slots_per_trial say all of it.
GONE = {
    ("data_layer",),
    ("environment", "base_image"),
    ("environment", "keras"),
    ("environment", "tensorflow"),
    ("resources", "distributed"),
    ("resources", "native_parallel"),
}
#: Keys of which a file startup-hook.sh beside the trial does the work today.
HOOKED = {("environment", "runtime_commands"), ("environment", "runtime_packages")}
_HOOK = "startup-hook.sh: "
_CREDENTIALS = re.compile(r"//[^/\s@]*@")


def _removed(config: Config, _: ConfigFacts) -> Iterator[Edit | TextFinding]:
    """Remove the keys of old; a section that keeps none of its keys goes as a whole."""
    for section in ((), *((name,) for name in keys.SECTIONS)):
        entries = config.entries(*section)
        gone = [entry for entry in entries if _is_gone(config, entry)]
        whole = config.entry(*section) if gone and len(gone) == len(entries) else None
        if whole is not None:
            yield Delete("C109", whole, tuple(line for entry in gone for line in _hook(entry)))
        for entry in gone:
            lines = _hook(entry)
            if whole is None:
                yield Delete("C109", entry, lines)
            if lines:
                message = f"{entry.name}: a file startup-hook.sh beside the trial does this today"
                commands = "\n".join(line.removeprefix(_HOOK) for line in lines)
                help_ = f"write into startup-hook.sh:\n{_CREDENTIALS.sub('//***@', commands)}"
                yield TextFinding("C109", entry.line, Kind.NOTE, message, help_)
    image = config.entry("environment", "image")
    below = config.entries("environment", "image")
    for entry in below or ([image] if image else []):
        if is_old_image(entry.scalar or ""):
            message = f"{entry.name}: {OLD_IMAGE}"
            help_ = "remove it to use the cluster's default image, or name a newer one"
            yield TextFinding("C109", entry.line, Kind.NOTE, message, help_)
            return


def _is_gone(config: Config, entry: Entry) -> bool:
    """Whether a key has no effect today; of a config in steps, no unknown key of a section has."""
    section, name = entry.path[0], entry.path[-1]
    known = keys.known(section) if len(entry.path) > 1 and config.counts_steps else {name}
    return entry.path in GONE | HOOKED or name not in known


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


def _unknown(config: Config, facts: ConfigFacts) -> Iterator[TextFinding]:
    """Name the keys that Determined does not know; the trial may read them from its config."""
    if not facts.cluster and not config.counts_steps:
        return
    for entry in config.entries():
        if entry.path[-1] not in keys.known(""):
            yield _stranger(entry, facts, keys.known(""))
    if config.counts_steps:
        return  # C108 and C109 remove what sections do not know
    for section in (*keys.SECTIONS, "searcher"):
        for entry in config.entries(section):
            if entry.path[-1] not in keys.known(section) and entry.path not in GONE | HOOKED:
                yield _stranger(entry, facts, keys.known(section))


def _stranger(entry: Entry, facts: ConfigFacts, known: frozenset[str]) -> TextFinding:
    likely = difflib.get_close_matches(entry.path[-1], sorted(known), 1, cutoff=0.8)
    more = f" (did you mean {likely[0]}?)" if likely else ""
    message = f"{entry.name}: not a key of Determined{more}, which rejects configs with such keys"
    help_ = "move what the trial reads below data:, and remove the rest"
    if facts.cluster:
        return TextFinding("C110", entry.line, Kind.LEFT, message, help_, entry.path)
    message += "; pedl2det run accepts it"
    return TextFinding("C110", entry.line, Kind.NOTE, message, help_)


RULES = (
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
        check=_removed,
    ),
    TextRule(
        "C110",
        "config-unknown-keys",
        "Determined rejects a config with keys that it does not know. They stay, because the "
        "trial may read them: a note, and for a cluster a mark.",
        *config_example(
            "hyperparameters: {}\nteam: {owner: ada}\n", "hyperparameters: {}\nteam: {owner: ada}\n"
        ),
        check=_unknown,
    ),
)
