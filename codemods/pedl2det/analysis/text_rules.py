"""What rules about configs and other texts are and return; the known keys of configs.

An edit of a config says what a key becomes, not how it is written. Its paths are those of the
config before any edit. The order of edits does not matter, except for insertions into one mapping.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pedl2det.analysis.config import Entry, KeyPath, whole_number
from pedl2det.findings import Kind


@dataclass(frozen=True)
class TextRule:
    """One rule about configs, commands, notebooks or requirements."""

    id: str  #: its code, as reports print it
    name: str  #: its name in words
    doc: str  #: what it rewrites to what, and why
    file: str = ""  #: the name of the file of its example; empty if there is none
    before: str = ""  #: the text before
    after: str = ""  #: the text after; the same for a rule that only reports
    #: For a config, ``check(config, facts)`` yields edits and findings.
    check: Callable[..., Any] | None = None

    @property
    def example(self) -> str:
        """What it changes in the text of its example; empty if it has none."""
        lines = difflib.ndiff(self.before.splitlines(), self.after.splitlines())
        changes = "".join(f"{line.rstrip()}\n" for line in lines if not line.startswith("? "))
        return f"--- {self.file}\n{changes}" if self.file else ""


@dataclass(frozen=True)
class TextChange:
    """One rewritten place."""

    rule: str  #: the id of the rule
    line: int  #: the line of the old text, from 1


@dataclass(frozen=True)
class TextFinding:
    """Something to say about a place."""

    rule: str  #: the id of the rule
    line: int  #: the line of the old text, from 1
    kind: Kind  #: what it means for the user
    message: str  #: what was found and why it matters
    help: str = ""  #: what to write; empty where nothing is left to do


@dataclass(frozen=True)
class TextResult:
    """The new text, and what there is to say about it."""

    text: str  #: the new text; the old one if nothing changed
    changes: tuple[TextChange, ...] = ()  #: the rewritten places
    findings: tuple[TextFinding, ...] = ()  #: the rest


@dataclass(frozen=True)
class _OfKey:
    """An edit of a key that is there, by a rule."""

    rule: str  #: the id of the rule
    entry: Entry  #: the key

    @property
    def path(self) -> KeyPath:
        """The key."""
        return self.entry.path

    @property
    def line(self) -> int:
        """The line of the key."""
        return self.entry.line


@dataclass(frozen=True)
class Put(_OfKey):
    """Give a key another name, another value, or both."""

    name: str | None = None  #: its new name; None keeps the old one
    value: str | None = None  #: its new text; None keeps the old value
    unit: str = ""  #: the only key of a mapping around the new text, as in ``{batches: 100}``


@dataclass(frozen=True)
class Delete(_OfKey):
    """Remove a key and its value."""

    comments: tuple[str, ...] = ()  #: lines of comment to write in its place


@dataclass(frozen=True)
class Insert:
    """Add a key to the end of a mapping; the value is a scalar, or a mapping in braces."""

    rule: str  #: the id of the rule
    path: KeyPath  #: the new key
    value: str  #: its text
    line: int = 1  #: the line that reports name


Edit = Put | Delete | Insert


@dataclass(frozen=True)
class ConfigFacts:
    """What the code of the trial and the user's options say about a config."""

    entrypoint: str | None = None  #: the trial that the config trains, as ``module:Class``
    #: The names of metrics that the trial reports under another name now.
    metric_renames: Mapping[str, str] = field(default_factory=dict)
    #: The batch size that a script cuts its data by, without a hyperparameter.
    batch_size: int | None = None
    cluster: bool = False  #: whether the config is for a Determined cluster
    is_rewritten: bool = False  #: whether the trial's code is, which then needs TensorFlow 2.15


def leave_entry(rule: str, entry: Entry, message: str, help_: str) -> TextFinding:
    """Report a key that a person has to rewrite before the config runs."""
    text = f"{entry.name}: {message}; this config does not run until it is changed"
    return TextFinding(rule, entry.line, Kind.LEFT, text, help_)


def number(entry: Entry | None, least: int = 1) -> int | None:
    """The value of a whole number, or None if it is not one."""
    value = whole_number((entry and entry.scalar) or "")
    return value if value is not None and value >= least else None


#: Sections whose keys are all known. Those of ``data`` and ``hyperparameters`` are the trial's own.
SECTIONS = ("environment", "optimizations", "reproducibility", "resources")


@functools.cache
def known(section: str) -> frozenset[str]:
    """The keys of a section, or of the top level, those of old included."""
    from pedl2det_runtime.config.keys import names_in  # one table for all commands

    return frozenset(names_in(section)) - {"template"}


_EVERY_SEARCHER = {
    *("max_length", "max_time", "metric", "name", "smaller_is_better", "time_metric"),
    *("source_checkpoint_uuid", "source_trial_id"),
}
_HALVING = {"divisor", "max_concurrent_trials", "max_trials", "stop_once"}
SEARCHERS = {
    "single": _EVERY_SEARCHER,
    "random": _EVERY_SEARCHER | {"max_concurrent_trials", "max_trials"},
    "grid": _EVERY_SEARCHER | {"max_concurrent_trials"},
    "adaptive_asha": _EVERY_SEARCHER | _HALVING | {"bracket_rungs", "max_rungs", "mode"},
    "async_halving": _EVERY_SEARCHER | _HALVING | {"num_rungs"},
}
#: Searchers that are gone, and what takes their place.
GONE_SEARCHERS = {
    "adaptive": "adaptive_asha",  # until Determined 0.15.0, as the next two
    "adaptive_simple": "adaptive_asha",
    "sync_halving": "async_halving",
    "pbt": "random",  # until 0.17.15
}

SINGLE = "searcher: {name: single, metric: val_loss, max_length: {batches: 100}}\n"


def config_example(before: str, after: str = "") -> tuple[str, str, str]:
    """The name and texts of a config of ``model_def:T``; it stays the same without ``after``."""
    texts = (text if "searcher:" in text else text + SINGLE for text in (before, after or before))
    old, new = (f"entrypoint: model_def:T\n{text}" for text in texts)
    return "const.yaml", old, new


# Edits of other texts: spans, around which every character stays.


@dataclass(frozen=True)
class Span:
    """Replace ``text[start:end]``; an empty span inserts."""

    start: int  #: the first character, from 0
    end: int  #: the character after the last one
    text: str  #: the replacement


def replaced(text: str, spans: Iterable[Span]) -> str:
    """Return the text with all spans replaced.

    Insertions at one place keep the given order and come before a replacement that starts there.

    Raises:
        ValueError: a span lies outside of the text, or in another one.
    """
    parts: list[str] = []
    done = 0
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if not done <= span.start <= span.end <= len(text):
            place = f"{span.start}:{span.end}"
            raise ValueError(f"{place} is no span from {done} to {len(text)}")
        parts += [text[done : span.start], span.text]
        done = span.end
    return "".join([*parts, text[done:]])
