"""One row of the table of old names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TENSORFLOW_2 = "TensorFlow 2.0"
KERAS_2_11 = "Keras 2.11"


@dataclass(frozen=True)
class Name:
    """An old name and what replaces it.

    The fields answer, in this order, how a use of the old name is rewritten:

    * ``same``: replace it by ``new``, rename ``keywords`` and write out ``defaults``.
    * not ``same``, but ``support``: use that piece of ``legacy_keras.py``.
    * neither: a person has to decide; ``write`` tells them what.

    Attributes:
        old: the full dotted old name.
        new: the full dotted name today. A text that begins with ``{context}`` replaces a whole
            call. None where nothing exists, or where a rule decides.
        since: the version from which the old name does not work.
        same: whether ``new`` means and computes the same as ``old`` did.
        write: what a person should write, or what differs, in one sentence.
        keywords: new names of keyword arguments of a call; None drops the argument.
        support: the piece of ``legacy_keras.py`` that serves the name where no public name does.
        changed: the old name still exists and means something else today. Such a row applies
            only to code that is known to be old.
        parameters: the parameters of the old callable in order, where today's order differs.
            Arguments that are given by position become keywords.
        defaults: arguments that the old callable had other defaults for, as source text. They
            have to be written out where a call leaves them out.
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
    """Rows by their old names.

    Raises:
        ValueError: two rows have the same old name.
    """
    by_name = {row.old: row for row in rows}
    if len(by_name) != len(rows):
        raise ValueError("two rows have the same old name")
    return by_name
