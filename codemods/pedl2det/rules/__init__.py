"""The rules. Each is a row of ``RULES`` and a module: ``p003_hparams.py`` holds the rule P003.

The row says which projects a rule applies to; a migration imports only the modules that it needs.
A module has a docstring, which documents the rule, and

- ``check(trial) -> Iterable[Fix | Remark]``: what the rule would change in such a project. Rules do
  not know each other and need no order;
- ``EXAMPLE``: what the real ``migrate`` changes in a small trial, as a diff of whole files. The
  trial's other files, and more cases, are in ``tests/codemods/rule_cases``.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType

from pedl2det.analysis.text_rules import TextRule
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.fixes import Fix, Remark
from pedl2det.texts import RULES as TEXT_RULES

#: The other names that findings are reported under, by id.
_OTHERS = {"P000": "legacy-name", "scan": "scan", "names": "names", "verify": "verify"}
_PEDL, _EARLY = (Generation.PEDL,), (Generation.EARLY,)
#: Whether a rule applies to trials that are carried over whole. Rules about what the old harness
#: called do not: the adapter still calls it (P034).
_REWRITTEN, _CARRIED = (False,), (True,)
#: Code that may give a model a layer that draws random numbers.
_RANDOM = (
    r"Dropout|Noise|GRU|LSTM|RNN|MultiHead|\bload_model|\bmodel_from_|\bfrom_config|deseriali"
    r"|getattr\(|MobileNet|EfficientNet|ConvNeXt"
)


@dataclass(frozen=True)
class Rule:
    """One rule."""

    id: str  #: its id, such as ``P003``
    name: str  #: its name in words
    #: the APIs of the trials that it applies to
    generations: tuple[Generation, ...] = tuple(Generation)
    #: whether it applies to trials that are carried over whole, to others, or to both
    carried: tuple[bool, ...] = (False, True)
    words: str = ""  #: what code or configs must contain, unless the trial is carried over

    @property
    def doc(self) -> str:
        """What it rewrites, to what, and why."""
        return (self._module.__doc__ or "").strip()

    @property
    def example(self) -> str:
        """What it changes in a small trial."""
        return str(self._module.EXAMPLE)

    def is_for(self, trial: Trial) -> bool:
        """Whether it applies to a project."""
        is_of_kind = trial.carried in self.carried and trial.generation in self.generations
        return is_of_kind and trial.mentions(self.words)

    def check(self, trial: Trial) -> Iterable[Fix | Remark]:
        """What it would change in such a project."""
        proposals: Iterable[Fix | Remark] = self._module.check(trial)
        return proposals

    @property
    def _module(self) -> ModuleType:
        module = f"{self.id}_{self.name}".lower().replace("-", "_")
        return importlib.import_module(f"{__name__}.{module}")


#: Every rule, by id.
RULES = (
    Rule("P001", "trial-class", carried=_REWRITTEN),
    Rule("P002", "sequence-order"),
    Rule("P003", "hparams", carried=_REWRITTEN),
    Rule("P004", "getters", words=r"\bget_|\.yaml\b"),
    Rule("P005", "data-loaders", _PEDL, _REWRITTEN),
    Rule("P006", "in-memory-sequence", carried=_REWRITTEN, words="InMemorySequence"),
    Rule("P007", "data-adapter", carried=_REWRITTEN, words="Adapter|BatchLoader"),
    Rule("P008", "wrap-model"),
    Rule("P009", "legacy-optimizers"),
    Rule("P010", "names"),
    Rule("P011", "callbacks", carried=_REWRITTEN, words="allback"),
    Rule("P014", "surroundings"),
    Rule("P015", "scripts", words=r"\binit\("),
    Rule("P017", "download-data", words="download_data"),
    Rule("P018", "wrap-dataset", words="wrap_dataset|cache_(?:train|validation)_dataset"),
    Rule("P019", "early-data", (*_EARLY, Generation.CONTEXT), _REWRITTEN),
    Rule("P022", "keras-trial", _PEDL, _REWRITTEN, r"\bKeras\w*Trial\b"),
    Rule("P027", "older-keras"),
    Rule("P031", "old-attributes"),
    Rule("P034", "carried-over", _PEDL + _EARLY, _CARRIED),
    Rule("P035", "seen-as-a-whole", _PEDL + _EARLY, _REWRITTEN),
    Rule("P036", "names-by-text"),
    Rule("P038", "metrics-of-losses", words=r"""metrics|["'](?:acc|ce\b|crossentropy)"""),
    Rule("P039", "random-layers", _PEDL + _EARLY, words=_RANDOM),
)


def rules_for(trial: Trial) -> list[Rule]:
    """Return the rules that apply to a project."""
    return [rule for rule in RULES if rule.is_for(trial)]


def every_rule() -> list[Rule | TextRule]:
    """Return all rules, for code and for other texts, by id."""
    return sorted([*RULES, *TEXT_RULES], key=lambda rule: rule.id)


@functools.cache
def titles() -> dict[str, str]:
    """Return the names of all rules, and of whatever else reports findings, by id."""
    return {rule.id: rule.name for rule in every_rule()} | _OTHERS
