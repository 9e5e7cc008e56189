"""Migrate the files that are no Python: requirements, commands for a shell, cells of notebooks."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pedl2det.analysis.discovery import Discovered
from pedl2det.analysis.notebook import Document
from pedl2det.analysis.source import Skipped, skipped_in_text
from pedl2det.analysis.text_rules import TextFinding, TextResult
from pedl2det.engine.options import Options
from pedl2det.engine.result import Change, NewFile, Result
from pedl2det.findings import Finding, Kind, Unreadable
from pedl2det.texts.commands import is_shell_file, migrate_shell
from pedl2det.texts.requirements import (
    PlaceOfTrial,
    is_requirement_file,
    migrate_requirements,
)


def take_text(
    path: Path,
    old: str,
    new: TextResult,
    options: Options,
    skipped: Skipped,
    cell: int | None = None,
) -> tuple[str, list[Change], list[Finding]]:
    """Return what becomes of a text, and what to say; it stays where the user wants a part left.

    Args:
        path: its file.
        old: the text.
        new: what the rules make of it.
        options: what the user asked for.
        skipped: the lines that the user wants left.
        cell: the cell that it is, if the file is a notebook.
    """
    unwanted = [one for one in new.changes if one.rule in options.left_out or one.line in skipped]
    if unwanted:
        why = "left by your choice: this text stays as it is"
        suppressed = [
            Finding(
                *(Kind.SUPPRESSED, one.rule, path, one.line, f"{one.message} ({why})"), cell=cell
            )
            for one in unwanted
        ]
        return old, [], suppressed
    findings = [
        finding_of(path, old, one, cell)
        for one in new.findings
        if one.rule not in options.left_out and one.line not in skipped
    ]
    return new.text, [Change(one.rule, path, one.line, cell) for one in new.changes], findings


def finding_of(path: Path, text: str, one: TextFinding, cell: int | None = None) -> Finding:
    """Return the finding about a text as a finding about a file."""
    lines = text.splitlines()
    code = lines[one.line - 1] if 0 < one.line <= len(lines) else ""
    return Finding(one.kind, one.rule, path, one.line, one.message, one.help, code=code, cell=cell)


def migrate_texts(discovered: Discovered, result: Result, options: Options) -> None:
    """Add what becomes of the other files to a result.

    A file is left for now if every trial near it is only begun and so not written: the trial still
    needs what the file asks for.
    """
    waiting = {
        one.directory for one in result.outcomes if not one.status.is_finished and not one.written
    }
    done = {one.directory for one in result.outcomes} - waiting
    for path in discovered.texts:
        near = _near(path, done)
        if near or not _near(path, waiting):
            is_around = any(path.is_relative_to(directory) for directory in near)
            place: PlaceOfTrial = "around" if is_around else "below" if near else ""
            _migrate_text(path, place, result, options)
    notebooks = {one for project in discovered.projects for one in project.notebooks}
    for path in sorted(notebooks | set(discovered.notebooks)):
        _migrate_notebook(path, result, options)


def _near(path: Path, directories: Iterable[Path]) -> list[Path]:
    """The trials above a file, or below its directory."""
    return [
        one for one in directories if path.is_relative_to(one) or one.is_relative_to(path.parent)
    ]


def _migrate_text(path: Path, trial: PlaceOfTrial, result: Result, options: Options) -> None:
    data = path.read_bytes()
    bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        text = data.removeprefix(bom).decode("utf-8")
    except UnicodeDecodeError:
        return
    name, mentions_pedl = str(path), "pedl" in text.lower()
    if is_requirement_file(name) and (trial or mentions_pedl):
        new = migrate_requirements(name, text, options.cluster, trial, options.left_out)
    elif is_shell_file(name) and (mentions_pedl or (trial and "det " in text)):
        new = migrate_shell(name, text, options.cluster)
    else:
        return
    skipped = Skipped(whole=True) if options.excludes(path) else skipped_in_text(text)
    new_text, changes, findings = take_text(path, text, new, options, skipped)
    result.changes += changes
    result.findings += findings
    if new_text != text:
        result.files.append(NewFile(path, data, bom + new_text.encode()))


def _migrate_notebook(path: Path, result: Result, options: Options) -> None:
    """Commands for a shell in the cells of a notebook, after what is already to be written."""
    known = next((file for file in result.files if file.path == path), None)
    try:
        document = Document.of(path, known.new if known else path.read_bytes())
    except Unreadable:
        return
    skipped = Skipped(whole=options.excludes(path))
    sources = {}
    for cell in document.cells:
        if cell.is_code and "pedl" in cell.source:
            new = migrate_shell(str(path), cell.source, options.cluster)
            text, changes, findings = take_text(
                path, cell.source, new, options, skipped, cell.number
            )
            result.changes += changes
            result.findings += findings
            if text != cell.source:
                sources[cell.number] = text
    if not sources:
        return
    data = document.with_sources(sources)
    if known:
        result.files[result.files.index(known)] = replace(known, new=data)
    else:
        result.files.append(NewFile(path, path.read_bytes(), data))
