"""Templates of pages and scripts. A page is one file that loads nothing and runs nothing.

A template is beside the module that renders it; ``report/page.html.j2`` is the frame of all pages.
"""

from __future__ import annotations

import datetime
import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pedl2det import __version__
from pedl2det.engine.migration import Result
from pedl2det.report.changes import changed_lines
from pedl2det.report.hiding import Hider, findings_of
from pedl2det.report.text import (
    WORDS,
    by_rules,
    counts,
    describe_outcome,
    facts,
    label,
    message_of,
    plural,
)
from pedl2det.rules import every_rule
from pedl2det.visible import shown, visible_lines

if TYPE_CHECKING:  # most runs write no page
    from jinja2 import Environment


def render(template: str, **values: Any) -> str:
    """Render a template of the package; escape texts in a page, and invisible characters."""
    return _environment().get_template(template).render(values)


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=PackageLoader("pedl2det", ""),
        autoescape=select_autoescape(("html.j2",)),
        finalize=_without_hidden,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    functions = (facts, label, message_of, plural, shown, describe_outcome)
    environment.globals |= {function.__name__: function for function in functions}
    return environment


def _without_hidden(value: Any) -> Any:
    is_text = isinstance(value, str) and not hasattr(value, "__html__")
    return visible_lines(value) if is_text else value


def html_document(result: Result, done: str) -> str:
    """The report of a migration; ``done`` is "rewritten" or "would be rewritten"."""
    anchors = {file.path: f"file-{number}" for number, file in enumerate(result.files)}
    rules = {path: by_rules(places) for path, places in result.changes_by_file().items()}
    hider = Hider.of(result)
    used = {change.rule for change in result.changes}
    return render(
        "report/migrate.html.j2",
        title=f"pedl2det migrate: {Path.cwd().name}",
        date=f"{datetime.datetime.now():%Y-%m-%d %H:%M}",
        version=__version__,
        done=done,
        counts=counts(result, done),
        result=result,
        findings=[*findings_of(result)],
        words=WORDS,
        anchors=anchors,
        files=[
            (file, anchors[file.path], rules.get(file.path, ""), changed_lines(file, hider))
            for file in result.files
        ],
        rules=[(label(rule.id), rule.doc) for rule in every_rule() if rule.id in used],
    )
