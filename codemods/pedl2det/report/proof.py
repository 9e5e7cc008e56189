"""Show a proof: the same facts in lines, JSON and HTML, of `migrate --verify` and of `verify`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pedl2det.engine.result import Proof
from pedl2det.report.content import printable
from pedl2det.report.hiding import Hider
from pedl2det.report.page import escaped
from pedl2det.visible import shown, visible


def page_beside(report: Path, directory: Path) -> Path:
    """Return where the page of a trial's proof goes: ``NAME.verify/TRIAL.html`` by NAME.html.

    Args:
        report: the report of all trials.
        directory: the trial.
    """
    parts = [part for part in Path(shown(directory.resolve())).parts if part.strip("/.")]
    name = "-".join(parts) or directory.resolve().name
    return report.with_suffix(".verify") / f"{name}.html"


def message_of(proof: Proof) -> str:
    """Return the verdict in one line, without credentials."""
    places = {proof.directory, *(config.parent for config in proof.configs)}
    return Hider(tuple(sorted(places))).in_prose(proof.message)


def facts(proof: Proof) -> dict[str, str]:
    """Return the circumstances of a proof by their titles; what is not known is left out."""
    compared = f"{proof.batches} of {proof.total}" if proof.total else str(proof.batches)
    known = {
        "Date": proof.date,
        "Trial": str(proof.directory.resolve()),
        "Commit": proof.commit,
        "Compared": f"{compared} batches" if proof.batches else "none",
        "Config": ", ".join(map(shown, proof.configs)),
        "Seed": "" if proof.seed is None else str(proof.seed),
        "Versions": proof.versions,
        "Duration": f"{proof.seconds:.0f} s",
    }
    return {title: value for title, value in known.items() if value}


def lines(proof: Proof) -> Iterator[str]:
    """Return a proof in lines for a terminal: the verdict, then its circumstances."""
    yield visible(f"{shown(proof.directory)}: verify: {message_of(proof)}")
    known = facts(proof)
    titles = ("Compared", "Config", "Date", "Versions")
    yield visible("    " + "; ".join(known[title] for title in titles if title in known))
    if proof.page is not None:
        yield visible(f"    {shown(proof.page)}")


def as_object(proof: Proof) -> dict[str, Any]:
    """Return a proof as JSON says it. docs/migrating.md describes it."""
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
        "page": None if proof.page is None else printable(shown(proof.page)),
    }


def as_html(proof: Proof) -> str:
    """Return a proof as the content of a table's cell, with a link to its page."""
    style = "equal" if proof.is_equal else "different"
    known = facts(proof)
    details = (f"{title} {value}" for title, value in known.items() if title != "Trial")
    link = ""
    if proof.page is not None:
        address = escaped(quote(f"{proof.page.parent.name}/{proof.page.name}"))  # page_beside
        link = f'<br><a href="{address}">the whole proof</a>'
    text = escaped("; ".join(details))
    return f'<span class="{style}">{escaped(message_of(proof))}</span><br>{text}{link}'
