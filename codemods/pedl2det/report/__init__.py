"""What migrate tells: lines for a terminal, a patch, and reports for people and machines.

All but the patch is without credentials: see :mod:`pedl2det.report.hiding`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pedl2det.engine.result import Result
from pedl2det.errors import Pedl2DetError
from pedl2det.report.patch import show_patch
from pedl2det.report.text import summary
from pedl2det.visible import shown

FORMATS = ("text", "json", "github")
_SUFFIXES = (".json", ".html", ".sarif")

__all__ = [
    "FORMATS",
    "check_output",
    "check_report_path",
    "formatted",
    "show_patch",
    "shown",
    "summary",
    "write_report",
]


def check_output(report: Path | None, form: str, diff: bool) -> None:
    """See that what is asked for can be told, before any work is done.

    Raises:
        Pedl2DetError: the report cannot be written there, or two things would share stdout.
    """
    if report is not None:
        check_report_path(report)
    if diff and form != "text":
        raise Pedl2DetError(
            f"--format {form}: --diff prints its patch on stdout too: leave one of them out"
        )


def check_report_path(path: Path, suffixes: Sequence[str] = _SUFFIXES) -> None:
    """See that a report in one of some formats can be written to a path.

    Raises:
        Pedl2DetError: the suffix is no format, or the directory cannot be written.
    """
    if path.suffix not in suffixes:
        raise Pedl2DetError(f"--report {path}: expected a name ending in {', '.join(suffixes)}")
    if not path.parent.is_dir():
        raise Pedl2DetError(f"--report {path}: no such directory: {path.parent}")
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise Pedl2DetError(f"--report {path}: cannot be written")


def write_report(path: Path, result: Result, done: str = "rewritten") -> None:
    """Write the report in the format that the path's suffix names.

    Args:
        path: where, ending in ``.json``, ``.html`` or ``.sarif``.
        result: what the migration does.
        done: the word for it: "rewritten", or "would be rewritten".

    Raises:
        Pedl2DetError: it cannot be written there.
    """
    from pedl2det.report import html, machines  # most runs write none

    check_report_path(path)
    documents = {
        ".json": machines.json_document,
        ".sarif": machines.sarif_document,
        ".html": html.html_document,
    }
    try:
        path.write_text(documents[path.suffix](result, done), encoding="utf-8")
    except OSError as error:
        raise Pedl2DetError(f"--report {path}: cannot be written: {error.strerror}") from None


def formatted(form: str, result: Result) -> Iterator[str]:
    """The findings as lines for stdout in one of :data:`FORMATS`; ``text`` is for stderr alone."""
    from pedl2det.report import machines

    lines = {"json": machines.json_lines, "github": machines.github_lines}
    if form in lines:
        yield from lines[form](result)
