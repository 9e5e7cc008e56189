"""The cases of rules besides their examples: ``p003_hparams.py`` has those of the rule P003.

``AROUND`` in such a file holds the files of the rule's example that the example does not show.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import SimpleNamespace

from pedl2det.rules import RULES, Rule
from rule_cases.cases import Case, case_of


def every_case() -> Iterator[tuple[Rule, Case, str]]:
    """Yield each rule with each of its cases, the example first, and the case's name."""
    modules = {info.name[:4].upper(): info.name for info in pkgutil.iter_modules(__path__)}
    for rule in RULES:
        more: object = SimpleNamespace()
        if rule.id in modules:
            more = importlib.import_module(f"{__name__}.{modules[rule.id]}")
        example = case_of(rule.example, getattr(more, "AROUND", None))
        for number, case in enumerate((example, *getattr(more, "CASES", ()))):
            yield rule, case, f"{rule.id}-{number}"
