"""The report as one HTML file: trials, findings with their remedies, changes side by side."""

from __future__ import annotations

import datetime
from collections import Counter
from pathlib import Path

from pedl2det import __version__
from pedl2det.engine.result import Change, NewFile, Outcome, Result, Status
from pedl2det.findings import Finding, Kind
from pedl2det.report import proof
from pedl2det.report.content import LEVELS, findings_of
from pedl2det.report.hiding import Hider
from pedl2det.report.page import escaped, page
from pedl2det.report.side_by_side import table as side_by_side
from pedl2det.report.text import counts, label, rules_of, told
from pedl2det.rules import every_rule
from pedl2det.visible import shown


def document(result: Result, done: str) -> str:
    """The whole report.

    Args:
        result: what the migration does.
        done: the word for it: "rewritten", or "would be rewritten".
    """
    places = _Places(result)
    changes = result.changes_by_file()
    hider = Hider.of(result)
    rows = [_finding(finding, message, places) for finding, message in findings_of(result)]
    files = [_file(file, changes.get(file.path, []), hider, places) for file in result.files]
    project = Path.cwd().name
    body = [
        f"<h1>pedl2det migrate: {escaped(project)}</h1>",
        f"<p>{datetime.datetime.now():%Y-%m-%d %H:%M}, pedl2det {__version__}</p>",
        f"<p>{escaped(counts(result, done))}</p>",
        "<h2>Trials</h2>",
        _filter(result),
        _trials(result) if result.outcomes else "<p>None.</p>",
        "<h2>To know and to decide</h2>",
        _table(("What", "Where", "Why, and what to do", "Rule"), rows)
        if rows
        else "<p>Nothing.</p>",
        f"<h2>Files: {escaped(done)}</h2>",
        *(files or ["<p>None.</p>"]),
        "<h2>By which rules, and why</h2>",
        _table(("Rule", "What it does"), _rules(result)) if files else "<p>None.</p>",
    ]
    return page(f"pedl2det migrate: {project}", "\n".join(body), "wide")


class _Places:
    """Where on the page a file is, and to which trial it belongs."""

    def __init__(self, result: Result) -> None:
        self._files = {file.path: number for number, file in enumerate(result.files)}
        self._outcomes = sorted(
            result.outcomes, key=lambda one: len(one.directory.parts), reverse=True
        )

    def anchor(self, path: Path) -> str:
        """Return the ``id`` of a file; "" if it is not on the page."""
        return f"file-{self._files[path]}" if path in self._files else ""

    def link(self, finding: Finding) -> str:
        """Return the place of a finding, as a link to it if it is on the page."""
        text = f"<code>{escaped(shown(finding.path))}:{finding.place}</code>"
        anchor = self.anchor(finding.path)
        if not anchor:
            return text
        line = f"-{finding.line}" if finding.cell is None else ""
        return f'<a href="#{anchor}{line}">{text}</a>'

    def status(self, path: Path) -> str:
        """Return an attribute with the status of the trial that a file belongs to."""
        own = next((one for one in self._outcomes if path.is_relative_to(one.directory)), None)
        return _status(own) if own else ""


def _status(outcome: Outcome) -> str:
    return f' data-status="{outcome.status.name.lower()}"'


def _filter(result: Result) -> str:
    """Buttons that show the trials of one status; the style of the page heeds them."""
    found = Counter(one.status for one in result.outcomes)
    if len(found) < 2:
        return ""
    buttons = [("all", f"all {len(result.outcomes)}")]
    buttons += [(one.name.lower(), f"{one.value} {found[one]}") for one in Status if one in found]
    labels = "".join(
        f'<label><input type="radio" name="status" id="{name}"'
        f"{' checked' if name == 'all' else ''}>{escaped(text)}</label>\n"
        for name, text in buttons
    )
    return f'<p class="filter">\n{labels}</p>'


def _table(heads: tuple[str, ...], rows: list[str]) -> str:
    head = "".join(f"<th>{one}</th>" for one in heads)
    return f'<div class="table"><table>\n<tr>{head}</tr>\n{"".join(rows)}</table></div>'


def _finding(finding: Finding, message: str, places: _Places) -> str:
    cells = (
        f'<td class="{_urgency(finding.kind)}">{finding.kind.value}</td>',
        f"<td>{places.link(finding)}</td>",
        f"<td>{escaped(message)}{_help(finding)}</td>",
        f"<td>{_rule(finding.rule)}</td>",
    )
    return f"<tr{places.status(finding.path)}>{''.join(cells)}</tr>\n"


def _urgency(kind: Kind) -> str:
    """The style of a kind; what trains differently or is assumed is not to be passed over."""
    return "warning" if kind in (Kind.DIFFERENT, Kind.ASSUMPTION) else LEVELS[kind]


def _help(finding: Finding) -> str:
    return f"<pre>{escaped(finding.help)}</pre>" if finding.help else ""


def _trials(result: Result) -> str:
    has_proofs = any(outcome.proof is not None for outcome in result.outcomes)
    rows = [
        f"<tr{_status(one)}><td><code>{escaped(shown(one.directory))}</code></td>"
        f'<td class="{_style(one.status)}">{escaped(told(one))}</td>'
        f"{_proof(one) if has_proofs else ''}</tr>\n"
        for one in result.outcomes
    ]
    return _table(("Trial", "Status", "Proof") if has_proofs else ("Trial", "Status"), rows)


def _proof(outcome: Outcome) -> str:
    return f"<td>{proof.as_html(outcome.proof) if outcome.proof is not None else ''}</td>"


def _style(status: Status) -> str:
    return "equal" if status.is_finished else "warning"


def _rules(result: Result) -> list[str]:
    """A row for every rule that rewrites something."""
    used = {change.rule for change in result.changes}
    return [
        f"<tr><td>{_rule(rule.id)}</td><td>{escaped(rule.doc)}</td></tr>\n"
        for rule in every_rule()
        if rule.id in used
    ]


def _rule(rule: str) -> str:
    return escaped(label(rule))


def _file(file: NewFile, changes: list[Change], hider: Hider, places: _Places) -> str:
    rules = ", ".join(
        _rule(rule) if count == 1 else f"{_rule(rule)} x{count}"
        for rule, count in rules_of(changes).items()
    )
    name, anchor = escaped(shown(file.path)), places.anchor(file.path)
    return (
        f'<details open id="{anchor}"{places.status(file.path)}>\n'
        f"<summary><code>{name}</code> {rules}</summary>\n"
        f"{side_by_side(file, hider, anchor)}\n</details>"
    )
