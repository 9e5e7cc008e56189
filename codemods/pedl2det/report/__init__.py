"""What migrate reports: lines for a terminal, a patch, and files for people and machines.

Credentials are masked in all but the patch: see :mod:`pedl2det.report.hiding`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pedl2det.engine.migration import Result
from pedl2det.errors import Pedl2DetError
from pedl2det.report.text import next_steps, summary

_SUFFIXES = (".json", ".html", ".sarif")

__all__ = ["check_report_path", "next_steps", "summary", "write_page", "write_report"]


def check_report_path(path: Path, suffixes: Sequence[str] = _SUFFIXES) -> None:
    """Raise an error if no report in one of some formats can be written to a path."""
    if path.suffix not in suffixes:
        raise Pedl2DetError(f"--report {path}: expected a name ending in {', '.join(suffixes)}")
    if not path.parent.is_dir():
        raise Pedl2DetError(f"--report {path}: no such directory: {path.parent}")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise Pedl2DetError(f"--report {path}: cannot be written")


def write_report(path: Path, result: Result, done: str = "rewritten") -> None:
    """Write the report as JSON, HTML or SARIF, which the path's suffix names."""
    from pedl2det.report import html, machines  # most runs write none

    documents = {
        ".json": machines.json_document,
        ".sarif": machines.sarif_document,
        ".html": html.html_document,
    }
    write_page(path, documents[path.suffix](result, done))


def write_page(path: Path, text: str | None) -> None:
    """Write a report, or raise an error; without a text, remove an earlier one."""
    try:
        if text is None:
            path.resolve().unlink(missing_ok=True)  # a link stays
        else:
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Pedl2DetError(f"{path}: cannot be written: {error.strerror}") from None
