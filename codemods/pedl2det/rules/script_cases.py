"""The cases of P017."""

from __future__ import annotations

from pedl2det.rules.rule import Case

CASES: tuple[Case, ...] = ()
