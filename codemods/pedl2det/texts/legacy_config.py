"""Keep in a migrated config what the trial reads of its old one.

``legacy_keras.get_experiment_config`` gives code the config as it was. It brings lengths in steps
and old names back by itself; what else the migration changed is written to ``data.legacy_config``,
as the changes that make the old config again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import yaml

from pedl2det.analysis.config import Config
from pedl2det.analysis.experiment.edits import Insert
from pedl2det.analysis.text_rules import TextChange, TextFinding, TextResult
from pedl2det.edits.yaml_edits import NotEdited, edited
from pedl2det.findings import Kind, Unreadable
from pedl2det.support.library import render

RULE = "P029"
_KEY = "legacy_config"
_KEPT = "data.legacy_config: what else the trial reads of its old config"
_NO_PLACE = "the trial reads its config as it was, and this section has no place for the changes"


def with_legacy_config(old: str, result: TextResult) -> TextResult:
    """Return a migrated config with what its old text said beside.

    Args:
        old: the text before the migration.
        result: the text after it.
    """
    from pedl2det_runtime.config.yaml12 import parse

    try:
        new, before = Config.of(result.text), parse(old).value
    except (Unreadable, yaml.YAMLError):
        return result  # migrate_config says what is wrong with it
    piece: dict[str, Any] = {}
    exec(render(["old_config"]), piece)  # noqa: S102 - our own text
    if not new.is_experiment:
        return result
    patch = _patch(piece["old_config"](parse(new.text).value), before)
    if not patch:
        return result
    dumped = yaml.safe_dump(patch, default_flow_style=True, width=10**9, sort_keys=False).strip()
    place = new.entry("data")
    line = place.line if place is not None else 1
    insert = Insert(RULE, ("data",), f"{{{_KEY}: {dumped}}}")
    if place is not None and place.is_mapping:
        insert = Insert(RULE, ("data", _KEY), dumped)
    try:
        text = ("\ufeff" if new.bom else "") + edited(new, [insert])
    except NotEdited:
        finding = TextFinding(RULE, line, Kind.LEFT, _NO_PLACE, f"{_KEY}: {dumped}")
        return replace(result, findings=(*result.findings, finding))
    return replace(result, text=text, changes=(*result.changes, TextChange(RULE, line, _KEPT)))


def _patch(have: dict[str, Any], want: dict[str, Any]) -> dict[str, Any]:
    """The changes that make one mapping another; None removes a key."""
    patch: dict[str, Any] = {key: None for key in have if key not in want}
    for key, value in want.items():
        other = have.get(key)
        if isinstance(value, dict) and isinstance(other, dict):
            inner = _patch(other, value)
            patch |= {key: inner} if inner else {}
        elif key not in have or value != other:
            patch[key] = value
    return patch
