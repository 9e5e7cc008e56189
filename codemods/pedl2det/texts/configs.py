"""Migrate the text of an experiment config."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from pedl2det.analysis.config import Config
from pedl2det.analysis.experiment import (
    ConfigFacts,
    Conversion,
    Converted,
    Remark,
    convert,
    marks,
)
from pedl2det.analysis.experiment.changes import Change, Comment, Delete
from pedl2det.edits.yaml_edits import NotEdited, edited
from pedl2det.findings import Unreadable
from pedl2det.texts.results import TextChange, TextFinding, TextResult

#: The rule that reports what cannot be read or written.
_FILE = "C100"
#: Rules of which one without the others would convert a number twice, in a second run.
_TOGETHER = {"C102", "C103", "C108"}


def migrate_config(text: str, facts: ConfigFacts) -> TextResult:
    """Convert an experiment config, in YAML or JSON; its layout and comments stay.

    Args:
        text: the text of the config.
        facts: what the code of the trial and the user's options say about it.

    Returns:
        The new text. A place that cannot be converted is marked by a comment and named by a
        finding of kind ``left``; everything else is converted. A text that is no experiment
        config stays as it is.
    """
    try:
        config = Config.of(text)
    except Unreadable as error:
        return TextResult(text, (), (_unreadable(error),))
    if not config.is_experiment:
        return TextResult(text)
    conversion = convert(config, facts)
    new, refused = _edited(config, conversion)
    made = [one for one in conversion.converted if one.rule not in refused]
    remarks = [one for one in conversion.remarks if one.kind == "left" or one.rule not in refused]
    findings = [*map(_finding, remarks), *(_refused(rule) for rule in sorted(refused))]
    return TextResult(
        ("\ufeff" if config.bom else "") + new,
        tuple(TextChange(one.rule, one.line, one.message) for one in made),
        tuple(findings),
    )


def _edited(config: Config, conversion: Conversion) -> tuple[str, set[str]]:
    """The new text, and the rules whose changes it could not take."""
    groups = _groups(config, conversion)
    try:
        return edited(config, [change for _, changes in groups for change in changes]), set()
    except NotEdited:
        pass
    accepted: list[Change] = []
    text, refused = config.text, set()
    for rules, changes in groups:
        try:
            text = edited(config, [*accepted, *changes])
            accepted += changes
        except NotEdited:
            refused |= rules
    return text, refused


def _groups(config: Config, conversion: Conversion) -> list[tuple[set[str], list[Change]]]:
    """The changes by rule; those of rules that need each other as one, marks last."""

    def group(one: Converted) -> str:
        return "steps" if one.rule in _TOGETHER else one.rule

    found = []
    for _, members in itertools.groupby(sorted(conversion.converted, key=group), key=group):
        whole = list(members)
        changes = _possible(config, (change for one in whole for change in one.changes))
        found.append(({one.rule for one in whole}, changes))
    for remark in conversion.remarks:
        found.append((set(), _possible(config, marks(config, remark))))
    return [(rules, changes) for rules, changes in found if changes]


def _possible(config: Config, changes: Iterable[Change]) -> list[Change]:
    """The changes without comments, in a config that has no room for them, as JSON."""
    root = config.root
    if root is None or not getattr(root, "flow_style", False):
        return list(changes)
    return [
        Delete(one.path) if isinstance(one, Delete) else one
        for one in changes
        if not isinstance(one, Comment)
    ]


def _finding(remark: Remark) -> TextFinding:
    return TextFinding(remark.rule, remark.line, remark.kind, remark.message, remark.help)


def _unreadable(error: Unreadable) -> TextFinding:
    message = f"{error}; this config was not converted, and the migrated trial cannot use it"
    return TextFinding(_FILE, error.line, "left", message)


def _refused(rule: str) -> TextFinding:
    message = (
        f"the config is written in a way that {rule} cannot edit without changing its meaning; "
        "this config was not fully converted, and the migrated trial cannot use it"
    )
    return TextFinding(_FILE, 1, "left", message, "write the section without anchors and `? ` keys")
