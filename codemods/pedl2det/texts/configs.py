"""Migrate the text of an experiment config."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from pedl2det.analysis.config import Config, KeyPath
from pedl2det.analysis.experiment import convert
from pedl2det.analysis.experiment.edits import ConfigFacts, Edit
from pedl2det.analysis.text_rules import TextChange, TextFinding, TextResult
from pedl2det.edits.yaml_edits import NotEdited, edited
from pedl2det.findings import Kind, Unreadable

#: Rules of which one without the others would convert a number twice, in a second run.
_TOGETHER = {"C102", "C103", "C108"}
_UNUSABLE = "this config was not converted in full, and the migrated trial cannot use it"
_REFUSED = "the config is written in a way that no edit keeps the meaning of"
_WIDTH = 88


def migrate_config(text: str, facts: ConfigFacts) -> TextResult:
    """Convert an experiment config, in YAML or JSON; its layout and comments stay.

    Args:
        text: the text of the config.
        facts: what the code of the trial and the user's options say about it.

    Returns:
        The new text. A place that cannot be converted is marked by a comment and named by a
        finding of kind ``LEFT``. Edits that would change the meaning are left out and listed; a
        text that is no experiment config stays as it is.
    """
    try:
        config = Config.of(text)
    except Unreadable as error:
        return TextResult(text, (), (_unusable(error.line, str(error)),))
    if not config.is_experiment:
        return TextResult(text)
    edits, findings = convert(config, facts)
    steps = [edit for edit in edits if edit.rule in _TOGETHER]
    others = [edit for edit in edits if edit.rule not in _TOGETHER]
    new, reason = config.text, ""
    made: list[Edit] = []
    for some in (edits, others, steps):
        try:
            new, made = edited(config, some, _marks(config, findings)), some
            break
        except NotEdited as error:
            reason = reason or str(error)
    refused = [edit for edit in edits if edit not in made]
    if refused:
        done = {edit.rule for edit in made}
        findings = [one for one in findings if one.kind is Kind.LEFT or one.rule in done]
        findings.append(_unusable(1, f"{_REFUSED}: {reason}", refused))
    changes = tuple(TextChange(edit.rule, edit.line, edit.message) for edit in made)
    return TextResult(("\ufeff" if config.bom else "") + new, changes, tuple(findings))


def _marks(
    config: Config, findings: Iterable[TextFinding]
) -> Iterator[tuple[KeyPath, Sequence[str]]]:
    """The TODO comments above places that are left, unless they are there already."""
    for finding in findings:
        if finding.kind is Kind.LEFT and finding.mark:
            todo = f"TODO(pedl2det {finding.rule}): {finding.message}"
            lines = textwrap.wrap(todo, _WIDTH, break_long_words=False)
            if lines[0] not in config.text:
                yield finding.mark, [*lines, *(f"  {line}" for line in finding.help.split("\n"))]


def _unusable(line: int, reason: str, edits: Sequence[Edit] = ()) -> TextFinding:
    help_ = "\n".join(f"line {edit.line}: {edit.message}" for edit in edits)
    return TextFinding("C100", line, Kind.LEFT, f"{reason}; {_UNUSABLE}", help_)
