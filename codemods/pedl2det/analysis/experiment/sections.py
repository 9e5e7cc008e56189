"""Keys that Determined rejects: those that a successor serves (C109), and all others (C110)."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterator

import yaml

from pedl2det.analysis.config import Config, Entry
from pedl2det.analysis.experiment import keys
from pedl2det.analysis.experiment.changes import Delete, Replace
from pedl2det.analysis.experiment.result import ConfigFacts, Converted, Remark, Result, left
from pedl2det.analysis.images import OLD_IMAGE, is_old_image

REMOVED, UNKNOWN = "C109", "C110"

#: Keys of old, and what serves them today.
_GONE = {
    ("data_layer",): "cached data sets were removed in Determined 0.19.10",
    ("environment", "base_image"): "environment.image names an image of Determined",
    ("environment", "keras"): "the image brings Keras, and pedl2det run takes what is installed",
    ("environment", "tensorflow"): "the image brings TensorFlow, and pedl2det run takes what is "
    "installed",
    ("resources", "distributed"): "resources.slots_per_trial alone says how many slots train",
    ("resources", "native_parallel"): "resources.slots_per_trial alone says how many slots train",
}
_HOOKED = (("environment", "runtime_commands"), ("environment", "runtime_packages"))
_HOOK = "startup-hook.sh: "
_CREDENTIALS = re.compile(r"//[^/\s@]*@")


def removed(config: Config, _: ConfigFacts) -> Iterator[Result]:
    """Remove the keys of old from their sections."""
    yield from _of_section(config, "", [("data_layer",)])
    for section in keys.SECTIONS:
        gone = [path for path in (*_GONE, *_HOOKED) if path[0] == section and len(path) > 1]
        if config.counts_steps:
            known = {path[1] for path in gone} | keys.SECTIONS[section]
            others = config.entries(section)
            gone += [one.path for one in others if one.path[-1] not in known]
        yield from _of_section(config, section, gone)
    yield from _storage(config)
    yield from _images(config)


def _of_section(config: Config, section: str, gone: list[tuple[str, ...]]) -> Iterator[Result]:
    """Remove keys; a section that keeps none of its keys goes as a whole."""
    found = [entry for path in gone if (entry := config.entry(*path)) is not None]
    is_whole = bool(section and found) and len(found) == len(config.entries(section))
    comments: list[str] = []
    for entry in found:
        lines = _hook(entry) if entry.path in _HOOKED else ()
        comments += lines
        change = Delete((section,)) if is_whole else Delete(entry.path, tuple(lines))
        yield _gone(entry, (change,) if not is_whole else ())
        if lines:
            message = f"{entry.name}: a file startup-hook.sh beside the trial does this today"
            commands = "\n".join(line.removeprefix(_HOOK) for line in lines)
            help_ = f"write into startup-hook.sh:\n{_CREDENTIALS.sub('//***@', commands)}"
            yield Remark(REMOVED, entry.line, "note", message, help_)
    if is_whole:
        whole = config.entry(section)
        assert whole is not None
        text = f"{section} is removed: nothing is left of it"
        change = Delete((section,), tuple(comments))
        yield Converted(REMOVED, whole.line, text, (change,))


def _gone(entry: Entry, changes: tuple[Delete, ...]) -> Converted:
    reason = _GONE.get(entry.path, "it had no effect, and is rejected now")
    if entry.path in _HOOKED:
        reason = "startup-hook.sh does this today"
    return Converted(REMOVED, entry.line, f"{entry.name} is removed: {reason}", changes)


def _hook(entry: Entry) -> tuple[str, ...]:
    """The lines of ``startup-hook.sh`` that do what a key asked for."""
    node = entry.value
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    texts = [str(item.value) for item in items if isinstance(item, yaml.ScalarNode)]
    if entry.path[-1] == "runtime_packages":
        packages = " ".join(shlex.quote(text) for text in texts)
        return (f"{_HOOK}pip install {packages}",) if packages else ()
    return tuple(f"{_HOOK}{' '.join(text.split())}" for text in texts if text.strip())


def _storage(config: Config) -> Iterator[Result]:
    kind = config.entry("checkpoint_storage", "type")
    if kind is not None and kind.scalar == "hdfs":
        message = "hdfs was removed from Determined"
        yield left(REMOVED, kind, message, "use one of shared_fs, directory, s3, gcs, azure")


def _images(config: Config) -> Iterator[Result]:
    image = config.entry("environment", "image")
    below = config.entries("environment", "image")
    for entry in below or ([image] if image else []):
        if is_old_image(entry.scalar or ""):
            message = f"{entry.name}: {OLD_IMAGE}"
            help_ = "remove it to use the cluster's default image, or name a newer one"
            yield Remark(REMOVED, entry.line, "note", message, help_)
            return


def unknown(config: Config, facts: ConfigFacts) -> Iterator[Result]:
    """Name the keys that Determined does not know; the trial may read them from its config."""
    if not facts.cluster and not config.counts_steps:
        return
    handled = {"batches_per_step", "entrypoints", "data_layer"}
    for entry in config.entries():
        if entry.path[-1] not in keys.TOP | handled:
            yield _unknown(entry, facts, keys.TOP)
    if config.counts_steps:
        return  # C109 has removed what its sections did not know
    gone = {*_GONE, *_HOOKED}
    for section, known in (*keys.SECTIONS.items(), ("searcher", _of_searcher(config))):
        for entry in config.entries(section):
            if known and entry.path[-1] not in known and entry.path not in gone:
                yield _unknown(entry, facts, known)


def _of_searcher(config: Config) -> frozenset[str]:
    """The keys of a searcher, with those that C108 removes; empty if it is not known."""
    name = config.entry("searcher", "name")
    old = (name and name.scalar) or ""
    return (
        frozenset.union(*keys.SEARCHERS.values(), keys.OLD_SEARCHER_KEYS)
        if old in {*keys.SEARCHERS, *keys.GONE_SEARCHERS}
        else frozenset()
    )


def _unknown(entry: Entry, facts: ConfigFacts, known: frozenset[str]) -> Remark:
    name = entry.path[-1]
    likely = difflib.get_close_matches(name, sorted(known), 1, cutoff=0.8)
    more = f" (did you mean {likely[0]}?)" if likely else ""
    message = f"{entry.name}: not a key of Determined{more}, which rejects configs with such keys"
    help_ = "move what the trial reads below data:, and remove the rest"
    if facts.cluster:
        return Remark(UNKNOWN, entry.line, "left", message, help_, entry.path)
    message += "; pedl2det run accepts it"
    return Remark(UNKNOWN, entry.line, "note", message, help_)


RULE = "C104"
_FLOAT = re.compile(r"([-+]?)([0-9]+)(\.[0-9]*)?[eE]([-+]?)([0-9]+)")
_STRING = "tag:yaml.org,2002:str"


def floats(config: Config, _: ConfigFacts) -> Iterator[Result]:
    """Write ``1e-4`` as ``1.0e-4``: YAML 1.1 reads the first as text, YAML 1.2 as a float."""
    if not re.search(r"[0-9.][eE][-+0-9]", config.text):
        return
    for entry in config.scalars():
        match = _FLOAT.fullmatch(entry.scalar or "")
        if match is None or not entry.is_plain or entry.value.tag != _STRING:
            continue
        start = entry.value.start_mark.index
        if config.text[start] == "!":
            continue  # the tag says that it is text
        sign, whole, fraction, exponent_sign, exponent = match.groups()
        fraction = fraction if fraction and fraction != "." else ".0"
        text = f"{sign}{whole}{fraction}e{exponent_sign or '+'}{exponent}"
        message = f"{entry.name}: {entry.scalar} is {text}"
        yield Converted(RULE, entry.line, message, (Replace(entry.path, text),))
