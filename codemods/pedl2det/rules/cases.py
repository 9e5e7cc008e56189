"""The cases of a rule: small trials before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A whole small trial, and what ``migrate`` makes of it.

    Attributes:
        before: the files of the trial, by path.
        after: the files that change; of a trial that is left as it is, none.
        says: a part of what is reported.
        status: how far the migration gets: ``finished``, ``assumptions`` or ``begun``.
    """

    before: Mapping[str, str]
    after: Mapping[str, str]
    says: str = ""
    status: str = "finished"
