"""The report as JSON: one document, or one object a finding. docs/migrating.md describes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pedl2det import __version__
from pedl2det.engine.result import Change, NewFile, Outcome, Result
from pedl2det.report import proof
from pedl2det.report.content import as_object, findings_of, in_order, printable
from pedl2det.report.text import rules_of
from pedl2det.visible import shown

VERSION = 3  # of the form; it changes when a field goes or means something else


def document(result: Result, done: str) -> str:
    """The whole report.

    Args:
        result: what the migration does.
        done: the word for it: "rewritten", or "would be rewritten".
    """
    changes = result.changes_by_file()
    content = {
        "version": VERSION,
        "tool": {"name": "pedl2det", "version": __version__},
        "outcome": done,
        "trials": [_trial(outcome) for outcome in result.outcomes],
        "legacy_names": {
            "rewritten": result.rewritten,
            "left": result.marked,
            "suppressed": result.suppressed,
        },
        "files": [_file(file, changes.get(file.path, [])) for file in result.files],
        "findings": [as_object(*found) for found in findings_of(result)],
    }
    return json.dumps(content, indent=2) + "\n"


def lines(result: Result) -> Iterator[str]:
    """One object a finding, each on a line, the most urgent first."""
    for found in findings_of(result):
        yield json.dumps(as_object(*found))


def _trial(outcome: Outcome) -> dict[str, Any]:
    return {
        "path": printable(shown(outcome.directory)),
        "status": outcome.status.value,
        "written": outcome.written,
        "rewritten_places": outcome.places,
        "left_places": outcome.left,
        "assumptions": outcome.assumptions,
        "proof": None if outcome.proof is None else proof.as_object(outcome.proof),
    }


def _file(file: NewFile, changes: list[Change]) -> dict[str, Any]:
    return {
        "path": printable(shown(file.path)),
        "rules": rules_of(changes),
        "changes": [{"rule": change.rule, "line": change.line} for change in in_order(changes)],
    }
