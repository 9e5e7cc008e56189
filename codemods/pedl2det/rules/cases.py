"""The examples of rules: small trials before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Files = Mapping[str, str]


@dataclass(frozen=True)
class Case:
    """A whole small trial, and what ``migrate`` makes of it.

    Attributes:
        before: the files of the trial by path.
        after: the files that change, by path; empty where the rule must not change anything.
        says: a part of what is reported; empty if it does not matter.
        status: ``finished``, ``finished with assumptions`` or ``begun``.
    """

    before: Files
    after: Files
    says: str = ""
    status: str = "finished"
