"""One row of the table of old names, and helpers to write the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

TENSORFLOW_2 = "TensorFlow 2.0"
KERAS_2_11 = "Keras 2.11"


class Age(Enum):
    """The TensorFlow version that a project was written for."""

    TENSORFLOW_1 = "TensorFlow 1"  #: or standalone Keras before 2.4, with the same semantics
    TENSORFLOW_2 = "TensorFlow 2.0 to 2.10"  #: it uses names or arguments that were removed
    CURRENT = "TensorFlow 2.11 and later"


@dataclass(frozen=True)
class Name:
    """An old name and its replacement.

    A use of the old name is rewritten by the first form that applies:

    1. ``same``: replace it by ``new``, rename ``keywords`` and write out ``defaults``.
    2. ``support``: use that support piece of ``legacy_keras.py``.
    3. Otherwise a person must decide; ``write`` tells them what to write.
    """

    old: str  #: the full dotted old name
    #: the full dotted name today. A string that starts with ``{context}`` replaces a whole call.
    #: None if there is no successor, or if a rule decides.
    new: str | None = None
    #: ``TENSORFLOW_2`` or ``KERAS_2_11`` if code that uses the name is older than that
    since: str = ""
    same: bool = True  #: whether ``new`` has the same semantics as ``old``
    write: str = ""  #: what to write, or what differs, in one sentence
    #: new names of keyword arguments; None drops the argument
    keywords: Mapping[str, str | None] = field(default_factory=dict, hash=False)
    #: the support piece of ``legacy_keras.py`` that implements the name, or None.
    support: str | None = None
    #: whether the old name still exists with another meaning. Such a row applies only to code that
    #: is known to be old.
    changed: bool = False
    #: the parameters of the old callable in order, if today's order differs. Positional arguments
    #: become keywords.
    parameters: tuple[str, ...] = ()
    #: today's parameters of a ``changed`` name that means the same if it is called with them: by
    #: place up to ``*``, then by name. Empty if no call means the same.
    today: tuple[str, ...] = ()
    #: the old defaults that differ today, as source text. They are written out in calls that omit
    #: them.
    defaults: Mapping[str, str] = field(default_factory=dict, hash=False)


def gone(old: str, write: str, support: str | None = None, since: str = "") -> Name:
    """Return the row of a name without a successor."""
    return Name(old, None, since, False, write, support=support)


def served(old: str, support: str = "", since: str = "") -> Name:
    """Return the row of a name that a support piece implements, by default that of its name."""
    return gone(old, "", support or old.rpartition(".")[2], since)


def table(*rows: Name) -> dict[str, Name]:
    """Return the rows by their old names.

    Raises:
        ValueError: two rows have the same old name.
    """
    by_name = {row.old: row for row in rows}
    if len(by_name) != len(rows):
        raise ValueError("two rows have the same old name")
    return by_name


def pairs(text: str) -> dict[str, str]:
    """Return the pairs of a text such as ``"old>new same"``, where ``same`` has kept its name."""
    return {old: new or old for old, _, new in (word.partition(">") for word in text.split())}


def lines_of(list_of_names: str) -> list[list[str]]:
    """Return the words of each line of a list that is beside this module."""
    text = Path(__file__).with_name(list_of_names).read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines()]


def moved(list_of_names: str) -> Iterator[Name]:
    """Yield the rows of names that have only moved.

    A line of the list has a module, the module where its names are today, and the names, as
    :func:`pairs` reads them.
    """
    for old, new, *names in lines_of(list_of_names):
        since = TENSORFLOW_2 if old.startswith("tensorflow.") else ""
        for name, today in pairs(" ".join(names)).items():
            yield Name(f"{old}.{name}", f"{new}.{today}", since)
