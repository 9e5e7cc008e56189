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

_UNUSABLE = "this config was not converted in full, and the migrated trial cannot use it"
_WIDTH = 88


def migrate_config(text: str, facts: ConfigFacts) -> TextResult:
    """Convert an experiment config, in YAML or JSON; its layout and comments stay.

    Args:
        text: the text of the config.
        facts: what the code of the trial and the user's options say about it.

    Returns:
        The new text. A place that cannot be converted is marked by a comment and named by a
        finding of kind ``LEFT``. Where the edits would change the meaning, none is made, and all
        are listed; a text that is no experiment config stays as it is.
    """
    try:
        config = Config.of(text)
    except Unreadable as error:
        return TextResult(text, (), (_unusable(error.line, str(error)),))
    if not config.is_experiment:
        return TextResult(text)
    edits, findings = convert(config, facts)
    marks = _marks(config, findings)
    try:
        new = edited(config, edits, marks)
    except NotEdited as error:
        left = [one for one in findings if one.kind is Kind.LEFT]
        reason = f"the config is written in a way that no edit keeps the meaning of: {error}"
        return TextResult(text, (), (*left, _unusable(1, reason, edits)))
    changes = tuple(TextChange(edit.rule, edit.line, edit.message) for edit in edits)
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
