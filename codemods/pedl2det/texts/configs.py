"""Migrate the text of an experiment config."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import yaml

from pedl2det.analysis.config import Config
from pedl2det.analysis.experiment import convert
from pedl2det.analysis.text_rules import ConfigFacts, Insert, TextChange, TextFinding, TextResult
from pedl2det.edits.yaml_edits import NotEdited, edited
from pedl2det.findings import Kind, Unreadable
from pedl2det.support import render

_UNUSABLE = "this config was not converted in full, and the migrated trial cannot use it"
_REWRITTEN = (
    "rewritten with the same values, without its comments: an edit of its text would change the "
    "meaning of the rest"
)
_REFUSED = "an edit of the text of this config would change the meaning of the rest"


def migrate_config(text: str, facts: ConfigFacts) -> TextResult:
    """Convert an experiment config, in YAML or JSON; its layout and comments stay.

    A place that cannot be converted stays, with a finding of kind ``LEFT``. Where edits would
    change the meaning, the config is rewritten from its values, or stays with a finding. A text
    that is not an experiment config is returned unchanged.
    """
    try:
        config = Config.of(text)
    except Unreadable as error:
        return TextResult(text, (), (_unusable(error.line, str(error)),))
    if not config.is_experiment:
        return TextResult(text)
    edits, findings = convert(config, facts)
    try:
        new = edited(config, edits)
    except NotEdited as error:
        rewritten = config.text_without_aliases()
        with contextlib.suppress(Unreadable):  # a key that is merged and overridden
            if rewritten != config.text and Config.of(rewritten).value() == config.value():
                result = migrate_config(rewritten, facts)
                note = TextFinding("C100", 1, Kind.NOTE, _REWRITTEN)
                return replace(result, findings=(note, *result.findings))
        return TextResult(text, findings=(_unusable(1, f"{_REFUSED}: {error}"),))
    changes = tuple(TextChange(edit.rule, edit.line) for edit in edits)
    return TextResult(new, changes, tuple(findings))


def _unusable(line: int, reason: str) -> TextFinding:
    return TextFinding("C100", line, Kind.LEFT, f"{reason}; {_UNUSABLE}")


RULE = "P004"
_KEY = "legacy_config"
_NO_PLACE = "the trial reads its old config, and this section cannot hold what changed"
_KEPT = (
    "the trial reads its old config: data.legacy_config keeps {} for it, even if `--set` or an "
    "edit changes the migrated config"
)


def with_legacy_config(old: str, result: TextResult) -> TextResult:
    """Add to a migrated config what only its old text says."""
    from pedl2det_runtime.config.yaml12 import parse

    try:
        new, before = Config.of(result.text), parse(old).value
    except (Unreadable, yaml.YAMLError):
        return result  # migrate_config reports the error
    piece: dict[str, Any] = {}
    exec(render(["old_config"]), piece)  # noqa: S102 - our own text
    patch = _patch(piece["old_config"](parse(new.text).value), before)
    hparams = patch.get("hyperparameters", {})
    if "global_batch_size" in hparams:  # the old config had this name: keep it, with any value
        hparams["global_batch_size"] = {}
        del hparams["batch_size"]
    if not patch:
        return result
    dumped = yaml.safe_dump(patch, default_flow_style=True, width=10**9, sort_keys=False).strip()
    place = new.entry("data")
    line = place.line if place is not None else 1
    insert = Insert(RULE, ("data",), f"{{{_KEY}: {dumped}}}")
    if place is not None and place.is_mapping:
        insert = Insert(RULE, ("data", _KEY), dumped)
    try:
        text = edited(new, [insert])
    except NotEdited:
        finding = TextFinding(RULE, line, Kind.LEFT, _NO_PLACE, f"{_KEY}: {dumped}")
        return replace(result, findings=(*result.findings, finding))
    kept = patch.get("searcher", {}).keys() - {"name"} or hparams.keys() - {"batch_size"}
    notes = (TextFinding(RULE, line, Kind.NOTE, _KEPT.format(dumped)),) if kept else ()
    changes = (*result.changes, TextChange(RULE, line))
    return TextResult(text, changes, (*result.findings, *notes))


def _patch(have: dict[str, Any], want: dict[str, Any]) -> dict[str, Any]:
    """The changes that turn one mapping into another; None removes a key."""
    patch: dict[str, Any] = {key: None for key in have if key not in want}
    for key, value in want.items():
        other = have.get(key)
        if isinstance(value, dict) and isinstance(other, dict):
            inner = _patch(other, value)
            patch |= {key: inner} if inner else {}
        elif key not in have or value != other:
            patch[key] = value
    return patch
