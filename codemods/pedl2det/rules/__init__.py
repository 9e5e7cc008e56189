"""The rules, found by being in this folder: ``p003_hparams.py`` holds the rule P003.

A rule's module has a docstring, which documents it, and

- ``NAME``: the rule's name in words, ``hparams``;
- ``check(trial) -> Iterable[Fix | Remark]``: what it would do to a project. Rules do not know each
  other and run in no order;
- ``EXAMPLE``: what the real ``migrate`` changes in the files of a small trial, as a diff that shows
  them whole. What the trial has beside, and other cases, are in ``tests/codemods/rule_cases``.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pedl2det.analysis.text_rules import TextRule
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, Remark
from pedl2det.texts import RULES as TEXT_RULES

#: What else findings are reported under.
_OTHERS = {"P000": "legacy-name", "scan": "scan", "names": "names", "verify": "verify"}
_ID = re.compile(r"[a-z]\d{3}_")


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        id: its id, such as ``P003``.
        name: its name in words.
        doc: what it rewrites to what, and why.
        check: gives what it would do to a project.
        example: what it changes in a small trial.
        instead_of: the ids of the rules that do not run where this one carries a trial over.
    """

    id: str
    name: str
    doc: str
    check: Callable[[Trial], Iterable[Fix | Remark]]
    example: str
    instead_of: tuple[str, ...] = ()


@functools.cache
def rules() -> tuple[Rule, ...]:
    """Every rule, by id."""
    found = []
    for info in pkgutil.iter_modules(__path__):
        if _ID.match(info.name):
            module = importlib.import_module(f"{__name__}.{info.name}")
            id_ = info.name.partition("_")[0].upper()
            doc = (module.__doc__ or "").strip()
            instead_of = getattr(module, "INSTEAD_OF", ())
            found.append(Rule(id_, module.NAME, doc, module.check, module.EXAMPLE, instead_of))
    return tuple(sorted(found, key=lambda rule: rule.id))


def every_rule() -> list[Rule | TextRule]:
    """Every rule, about code and about other texts, by id."""
    return sorted([*rules(), *TEXT_RULES], key=lambda rule: rule.id)


@functools.cache
def titles() -> dict[str, str]:
    """The names of all rules by their ids, and of what else reports findings."""
    return {rule.id: rule.name for rule in every_rule()} | _OTHERS
