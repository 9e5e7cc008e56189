"""One row of the table of old names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TENSORFLOW_2 = "TensorFlow 2.0"
KERAS_2_11 = "Keras 2.11"


@dataclass(frozen=True)
class Name:
    """An old name and its replacement.

    A use of the old name is rewritten by the first form that applies:

    1. ``same``: replace it by ``new``, rename ``keywords`` and write out ``defaults``.
    2. ``support``: use that support piece of ``legacy_keras.py``.
    3. Otherwise a person must decide; ``write`` tells them what to write.

    Attributes:
        old: the full dotted old name.
        new: the full dotted name today. A string that starts with ``{context}`` replaces a whole
            call. None if there is no successor, or if a rule decides.
        since: the version in which the old name stopped working.
        same: whether ``new`` has the same semantics as ``old``.
        write: what to write, or what differs, in one sentence.
        keywords: new names of keyword arguments; None drops the argument.
        support: the support piece of ``legacy_keras.py`` that implements the name, or None.
        changed: whether the old name still exists with another meaning. Such a row applies only to
            code that is known to be old.
        parameters: the parameters of the old callable in order, if today's order differs.
            Positional arguments become keywords.
        defaults: the old defaults that differ today, as source text. They are written out in calls
            that omit them.
    """

    old: str
    new: str | None = None
    since: str = ""
    same: bool = True
    write: str = ""
    keywords: Mapping[str, str | None] = field(default_factory=dict, hash=False)
    support: str | None = None
    changed: bool = False
    parameters: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict, hash=False)


def table(*rows: Name) -> dict[str, Name]:
    """Return the rows by their old names.

    Raises:
        ValueError: two rows have the same old name.
    """
    by_name = {row.old: row for row in rows}
    if len(by_name) != len(rows):
        raise ValueError("two rows have the same old name")
    return by_name
