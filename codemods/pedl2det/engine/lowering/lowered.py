"""What lowering reads and what it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source
from pedl2det.edits.imports import Wanted, fit_imports
from pedl2det.findings import Finding
from pedl2det.fixes import ConfigNeed

#: The rule that documents lowering, and under which it reports.
RULE = "P015"


@dataclass(frozen=True)
class Facts:
    """What lowering knows about a script beside its text.

    Attributes:
        path: the script's file.
        name: the dotted name by which the trial's class is imported.
        others: the other Python files of the project, by dotted name.
        batch_size: the hyperparameter ``batch_size`` of the configs; None if they have none, or
            if it is not one number.
        has_batch_size: whether a config has that hyperparameter.
        batches_per_step: the batches of a step.
    """

    path: Path
    name: str
    others: Mapping[str, Source] = field(default_factory=dict)
    batch_size: int | None = None
    has_batch_size: bool = False
    batches_per_step: int = 100

    def modules(self, source: Source) -> Modules:
        """The project with some text of the script."""
        return Modules({**self.others, self.name: source})

    def with_imports(self, old: str, new: str, *added: str) -> str:
        """A new text with some imports, and without those that only the old one used."""
        project = frozenset(one.partition(".")[0] for one in self.others)
        wanted = Wanted(frozenset(added), _never, project)
        text = fit_imports(Source.of(self.path, old), Source.of(self.path, new), wanted)
        return text if old[:1].isspace() else text.lstrip()


def _never(_: str) -> bool:
    return False


@dataclass(frozen=True)
class Lowered:
    """A script written as a trial of the old generation.

    Attributes:
        text: the new text; the old one if there is no training in it.
        class_name: the trial's class; empty if there is none.
        config_needs: what the configs have to say: ``entrypoint``, ``global_batch_size``.
        findings: what there is to say, at lines of the old text.
        lines: for each new line, the old line that it came from.
        support: the pieces of ``legacy_keras.py`` that the new text uses.
        config: the experiment config that the script held in its code; None if it held none.
        entrypoint: the trial as ``module:Class``; empty if there is none.
        elsewhere: the new texts of other files of the project.
    """

    text: str
    class_name: str = ""
    config_needs: tuple[ConfigNeed, ...] = ()
    findings: tuple[Finding, ...] = ()
    lines: tuple[int, ...] = ()
    support: tuple[str, ...] = ()
    config: Mapping[str, object] | None = None
    entrypoint: str = ""
    elsewhere: Mapping[Path, str] = field(default_factory=dict)
