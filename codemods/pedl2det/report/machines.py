"""Reports for machines: JSON and SARIF 2.1.0.

docs/migrating.md describes the JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pedl2det import __version__
from pedl2det.engine.migration import Change, Outcome, Proof, Result
from pedl2det.findings import Finding
from pedl2det.report.hiding import findings_of
from pedl2det.report.text import WORDS, message_of, rules_of, unexecuted
from pedl2det.rules import every_rule, titles
from pedl2det.visible import printable, shown

VERSION = 5  # of the JSON; changes when a field is removed or changes its meaning
_TOOL = {"name": "pedl2det", "version": __version__}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

Object = dict[str, Any]


def json_document(result: Result, done: str) -> str:
    """The whole report as JSON; ``done`` is "rewritten" or "would be rewritten"."""
    changes = result.changes_by_file()
    content = {
        "version": VERSION,
        "tool": _TOOL,
        "outcome": done,
        "trials": [_trial(outcome) for outcome in result.outcomes],
        "legacy_names": {
            "rewritten": result.rewritten,
            "left": result.marked,
            "suppressed": result.suppressed,
        },
        "files": [
            {
                "path": printable(shown(file.path)),
                "rules": rules_of(changes.get(file.path, [])),
                "changes": [
                    {"rule": change.rule, "line": change.line}
                    for change in _in_order(changes.get(file.path, []))
                ],
            }
            for file in result.files
        ],
        "findings": [_finding(finding) for finding in findings_of(result)],
    }
    return json.dumps(content, indent=2) + "\n"


def sarif_document(result: Result, done: str) -> str:
    """The report as SARIF: a result for every finding, proof, and place that is rewritten."""
    results = []
    for finding in findings_of(result):
        message = f"{finding.kind.value}: {finding.message}"
        level = WORDS[finding.kind].level
        results.append(_result(finding.rule, level, message, finding.path, finding))
    for outcome in result.outcomes:
        if outcome.proof is not None:  # besides the result for its finding
            message = f"verify: {message_of(outcome.proof)}"
            level, kind = ("none", "pass") if outcome.proof.is_equal else ("note", "fail")
            proved = _result("verify", level, message, outcome.directory)
            results.append({**proved, "kind": kind, "properties": proof_object(outcome.proof)})
    for change in _in_order(result.changes):
        name = titles().get(change.rule, change.rule)
        message = f"{done} by {name}"
        results.append(_result(change.rule, "note", message, change.path, change))
    docs = {rule.id: rule.doc for rule in every_rule()}
    rules = []
    for rule in sorted({entry["ruleId"] for entry in results}):
        name = titles().get(rule, rule)
        short, full = {"text": name}, {"text": docs.get(rule, name)}
        rules.append({"id": rule, "name": name, "shortDescription": short, "fullDescription": full})
    driver = {**_TOOL, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _finding(finding: Finding) -> Object:
    names = ("rule", "cell", "line", "column", "end_column", "message", "help")
    values = {name: getattr(finding, name) for name in names}
    return {"kind": finding.kind.name.lower(), "path": printable(shown(finding.path)), **values}


def proof_document(proof: Proof) -> str:
    """The report of a verification as JSON."""
    content = {"version": VERSION, "tool": _TOOL, "proof": proof_object(proof)}
    return json.dumps(content, indent=2) + "\n"


def _trial(outcome: Outcome) -> Object:
    return {
        "path": printable(shown(outcome.directory)),
        "status": outcome.status.value,
        "written": outcome.written,
        "rewritten_places": outcome.places,
        "left_places": outcome.left,
        "proof": None if outcome.proof is None else proof_object(outcome.proof),
    }


def proof_object(proof: Proof) -> Object:
    """Return a proof as a JSON object. docs/migrating.md describes it."""
    return {
        "path": printable(shown(proof.directory)),
        "outcome": proof.outcome,
        "message": printable(message_of(proof)),
        "batches": proof.batches,
        "total_batches": proof.total,
        "configs": [printable(shown(config)) for config in proof.configs],
        "date": proof.date,
        "commit": proof.commit or None,
        "seed": proof.seed,
        "versions": proof.versions,
        "seconds": round(proof.seconds, 1),
        "not_executed": [*map(printable, unexecuted(proof))],
    }


def _result(
    rule: str, level: str, message: str, path: Path, place: Finding | Change | None = None
) -> Object:
    """A SARIF result; the path of a file below the current directory is relative."""
    absolute = Path.cwd() / path
    if absolute.is_relative_to(Path.cwd()):
        relative = absolute.relative_to(Path.cwd()).as_posix()
        uri = {"uri": quote(relative.encode("utf-8", "surrogateescape")), "uriBaseId": "%SRCROOT%"}
    else:
        uri = {"uri": absolute.as_uri()}
    location: Object = {"artifactLocation": uri}
    if place is not None:
        region = location["region"] = {"startLine": max(place.line, 1)}
        if isinstance(place, Finding) and place.column:
            region |= {"startColumn": place.column, "endColumn": place.end_column}
    locations = [{"physicalLocation": location}]
    return {"ruleId": rule, "level": level, "message": {"text": message}, "locations": locations}


def _in_order(changes: list[Change]) -> list[Change]:
    return sorted(changes, key=lambda change: (change.path, change.line, change.rule))
