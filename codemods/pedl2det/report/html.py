"""The report as one HTML file: trials, findings with their remedies, changes side by side."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pedl2det import __version__
from pedl2det.engine.result import Result
from pedl2det.findings import Finding, Kind
from pedl2det.report import proof
from pedl2det.report.content import WORDS, findings_of
from pedl2det.report.hiding import Hider
from pedl2det.report.page import escaped, page
from pedl2det.report.side_by_side import table as side_by_side
from pedl2det.report.text import by_rules, counts, label, told
from pedl2det.rules import every_rule
from pedl2det.visible import shown


def html_document(result: Result, done: str) -> str:
    """The whole report.

    Args:
        result: what the migration does.
        done: the word for it: "rewritten", or "would be rewritten".
    """
    anchors = {file.path: f"file-{number}" for number, file in enumerate(result.files)}
    changes = result.changes_by_file()
    hider = Hider.of(result)
    used = {change.rule for change in result.changes}
    rules = (rule for rule in every_rule() if rule.id in used)
    project = Path.cwd().name
    body = [
        f"<h1>pedl2det migrate: {escaped(project)}</h1>",
        f"<p>{datetime.datetime.now():%Y-%m-%d %H:%M}, pedl2det {__version__}</p>",
        f"<p>{escaped(counts(result, done))}</p>",
        "<h2>Trials</h2>",
        _table(("Trial", "Status", "Proof"), _trials(result)),
        "<h2>To know and to decide</h2>",
        _table(
            ("What", "Where", "Why, and what to do", "Rule"),
            (_finding(finding, anchors) for finding in findings_of(result)),
        ),
        f"<h2>Files: {escaped(done)}</h2>",
        *(
            f'<details open id="{anchors[file.path]}">\n'
            f"<summary><code>{escaped(shown(file.path))}</code> "
            f"{escaped(by_rules(changes.get(file.path, [])))}</summary>\n"
            f"{side_by_side(file, hider, anchors[file.path])}\n</details>"
            for file in result.files
        ),
        "<h2>By which rules, and why</h2>",
        _table(
            ("Rule", "What it does"),
            (f"<td>{escaped(label(rule.id))}</td><td>{escaped(rule.doc)}</td>" for rule in rules),
        ),
    ]
    return page(f"pedl2det migrate: {project}", "\n".join(body), "wide")


def _table(heads: tuple[str, ...], rows: Iterable[str]) -> str:
    lines = [f"<tr>{row}</tr>\n" for row in rows]
    if not lines:
        return "<p>None.</p>"
    head = "".join(f"<th>{one}</th>" for one in heads)
    return f'<div class="table"><table>\n<tr>{head}</tr>\n{"".join(lines)}</table></div>'


def _trials(result: Result) -> Iterator[str]:
    for outcome in result.outcomes:
        style = "equal" if outcome.status.is_finished else "warning"
        proved = proof.as_html(outcome.proof) if outcome.proof is not None else ""
        yield (
            f"<td><code>{escaped(shown(outcome.directory))}</code></td>"
            f'<td class="{style}">{escaped(told(outcome))}</td><td>{proved}</td>'
        )


def _finding(finding: Finding, anchors: Mapping[Path, str]) -> str:
    """A row for a finding; what trains differently is not to be passed over."""
    style = "warning" if finding.kind is Kind.DIFFERENT else WORDS[finding.kind].level
    place = f"<code>{escaped(shown(finding.path))}:{finding.place}</code>"
    if finding.path in anchors:
        line = f"-{finding.line}" if finding.cell is None else ""
        place = f'<a href="#{anchors[finding.path]}{line}">{place}</a>'
    help_ = f"<pre>{escaped(finding.help)}</pre>" if finding.help else ""
    return (
        f'<td class="{style}">{finding.kind.value}</td><td>{place}</td>'
        f"<td>{escaped(finding.message)}{help_}</td><td>{escaped(label(finding.rule))}</td>"
    )
