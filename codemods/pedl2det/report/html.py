"""The report as one HTML file: the counts, the findings, and every change side by side."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import zip_longest

from pedl2det.engine.result import Change, NewFile, Result
from pedl2det.findings import Finding
from pedl2det.report.content import LEVELS, findings_of
from pedl2det.report.hiding import Hider
from pedl2det.report.page import escaped, page
from pedl2det.report.patch import lines
from pedl2det.report.text import counts, rules_of, shown, told
from pedl2det.rules import every_rule, titles

_GAP = '<tr class="gap"><td colspan="4">&#8942;</td></tr>\n'
_COLUMNS = '<colgroup><col class="n"><col><col class="n"><col></colgroup>\n'


def document(result: Result, done: str) -> str:
    """The whole report.

    Args:
        result: what the migration does.
        done: the word for it: "rewritten", or "would be rewritten".
    """
    hider = Hider.of(result)
    changes = result.changes_by_file()
    rows = [_finding(*found) for found in findings_of(result)]
    files = [_file(file, changes.get(file.path, []), hider) for file in result.files]
    body = [
        "<h1>pedl2det migrate</h1>",
        f"<p>{escaped(counts(result, done))}</p>",
        "<h2>Trials</h2>",
        _table(("Trial", "Status"), _trials(result)) if result.outcomes else "<p>None.</p>",
        "<h2>To know and to decide</h2>",
        _table(("What", "Where", "Why", "Rule"), rows) if rows else "<p>Nothing.</p>",
        f"<h2>Files: {escaped(done)}</h2>",
        *(files or ["<p>None.</p>"]),
        "<h2>By which rules, and why</h2>",
        _table(("Rule", "What it does"), _rules(result)) if files else "<p>None.</p>",
    ]
    return page("pedl2det migrate", "\n".join(body), "wide")


def _table(heads: tuple[str, ...], rows: list[str]) -> str:
    head = "".join(f"<th>{one}</th>" for one in heads)
    return f"<table>\n<tr>{head}</tr>\n{''.join(rows)}</table>"


def _finding(finding: Finding, message: str) -> str:
    cells = (
        f'<td class="{LEVELS[finding.kind]}">{finding.kind.value}</td>',
        f"<td><code>{escaped(shown(finding.path))}:{finding.place}</code></td>",
        f"<td>{escaped(message)}{_help(finding)}</td>",
        f"<td>{_rule(finding.rule)}</td>",
    )
    return f"<tr>{''.join(cells)}</tr>\n"


def _help(finding: Finding) -> str:
    return f"<br><code>{escaped(finding.help)}</code>" if finding.help else ""


def _trials(result: Result) -> list[str]:
    return [
        f"<tr><td><code>{escaped(shown(one.directory))}</code></td>"
        f"<td>{escaped(told(one))}</td></tr>\n"
        for one in result.outcomes
    ]


def _rules(result: Result) -> list[str]:
    """A row for every rule that rewrites something."""
    used = {change.rule for change in result.changes}
    return [
        f"<tr><td>{_rule(rule.id)}</td><td>{escaped(rule.doc)}</td></tr>\n"
        for rule in every_rule()
        if rule.id in used
    ]


def _rule(rule: str) -> str:
    title = titles().get(rule)
    return escaped(f"{rule} {title}" if title else rule)


def _file(file: NewFile, changes: list[Change], hider: Hider) -> str:
    rules = ", ".join(
        _rule(rule) if count == 1 else f"{_rule(rule)} x{count}"
        for rule, count in rules_of(changes).items()
    )
    name = escaped(shown(file.path))
    rows = "".join(_rows(file, hider))
    return (
        f"<details open>\n<summary><code>{name}</code> {rules}</summary>\n"
        f'<table class="diff">\n{_COLUMNS}{rows}</table>\n</details>'
    )


def _rows(file: NewFile, hider: Hider) -> Iterator[str]:
    old, new = lines(file.old or b""), lines(file.new)
    shown_old, shown_new = (
        hider.in_file(file.path, "".join(side)).split("\n") for side in (old, new)
    )
    end = 0
    for group in difflib.SequenceMatcher(None, old, new).get_grouped_opcodes():
        if group[0][1] > end:
            yield _GAP
        for tag, start, end, other, other_end in group:
            marks = ("same", "same") if tag == "equal" else ("less", "more")
            sides = zip_longest(range(start, end), range(other, other_end))
            for left, right in sides:
                cells = _cells(shown_old, left, marks[0]) + _cells(shown_new, right, marks[1])
                yield f"<tr>{cells}</tr>\n"
    if end < len(old):
        yield _GAP


def _cells(lines: list[str], index: int | None, mark: str) -> str:
    if index is None:
        return '<td class="n"></td><td></td>'
    text = escaped(lines[index].rstrip("\r"))
    return f'<td class="n">{index + 1}</td><td class="{mark}">{text}</td>'
