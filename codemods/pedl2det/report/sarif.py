"""The report as SARIF 2.1.0, which code scanning services and editors read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pedl2det import __version__
from pedl2det.engine.result import Change, Proof, Result
from pedl2det.findings import Finding
from pedl2det.report import proof
from pedl2det.report.content import LEVELS, findings_of, in_order
from pedl2det.rules import every_rule, titles

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

Object = dict[str, Any]


def document(result: Result, done: str) -> str:
    """The whole report: a result for every finding, and for every place that is rewritten.

    Args:
        result: what the migration does.
        done: the word for it: "rewritten", or "would be rewritten".
    """
    found = [
        _result(finding.rule, LEVELS[finding.kind], f"{finding.kind.value}: {message}", place)
        for finding, message in findings_of(result)
        for place in [_place(finding)]
    ]
    found += [_proof(outcome.proof) for outcome in result.outcomes if outcome.proof is not None]
    found += [
        _result(change.rule, "note", f"{done} by {_name(change.rule)}", place)
        for change in in_order(result.changes)
        for place in [_place(change)]
    ]
    every = _rules({one["ruleId"] for one in found})
    indices = {rule["id"]: index for index, rule in enumerate(every)}
    for one in found:
        one["ruleIndex"] = indices[one["ruleId"]]
    driver = {"name": "pedl2det", "version": __version__, "rules": every}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": found}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _proof(proved: Proof) -> Object:
    """A proof: the finding of a trial that is not proved is a result of its own."""
    is_equal = proved.outcome == "equal"
    message = f"verify: {proof.message_of(proved)}"
    place = {"physicalLocation": {"artifactLocation": _artifact(proved.directory)}}
    return {
        **_result("verify", "none" if is_equal else "note", message, place),
        "kind": "pass" if is_equal else "fail",
        "properties": proof.as_object(proved),
    }


def _rules(said: set[str]) -> list[Object]:
    """Every rule, and whatever else has said something."""
    known: list[Object] = [
        {
            "id": rule.id,
            "name": rule.name,
            "shortDescription": {"text": rule.name},
            "fullDescription": {"text": rule.doc},
            "help": {"text": f"{rule.doc}\n\npedl2det rules {rule.id} shows an example."},
        }
        for rule in every_rule()
    ]
    others = sorted(said - {str(rule["id"]) for rule in known})
    return known + [{"id": one, "shortDescription": {"text": _name(one)}} for one in others]


def _name(rule: str) -> str:
    return titles().get(rule, rule)


def _result(rule: str, level: str, message: str, place: Object) -> Object:
    return {"ruleId": rule, "level": level, "message": {"text": message}, "locations": [place]}


def _place(one: Finding | Change) -> Object:
    region = {"startLine": max(one.line, 1)}
    if isinstance(one, Finding) and one.column:
        region |= {"startColumn": one.column, "endColumn": one.end_column}
    return {"physicalLocation": {"artifactLocation": _artifact(one.path), "region": region}}


def _artifact(path: Path) -> Object:
    """A file as an address, relative to the current directory if it is below that."""
    absolute = Path.cwd() / path
    try:
        relative = absolute.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return {"uri": absolute.as_uri()}
    return {"uri": quote(relative.encode("utf-8", "surrogateescape")), "uriBaseId": "%SRCROOT%"}
