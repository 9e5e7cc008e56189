"""Migrate the files that are no Python: requirements, commands for a shell, cells of notebooks."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pedl2det.analysis.discovery import Discovered
from pedl2det.analysis.notebook import Document
from pedl2det.analysis.skipping import Skipped, skipped_in_text
from pedl2det.engine.configs import finding_of
from pedl2det.engine.options import Options
from pedl2det.engine.result import Change, NewFile, Result
from pedl2det.findings import Finding, Kind, Unreadable
from pedl2det.texts import (
    PlaceOfTrial,
    TextResult,
    ignore_note,
    is_requirement_file,
    is_shell_file,
    migrate_requirements,
    migrate_shell,
)


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
        if _near(path, waiting) and not _near(path, done):
            continue
        data = path.read_bytes()
        try:
            text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
        except UnicodeDecodeError:
            continue
        new = text
        for one in _results(path, text, options, _place_of_trial(path, done)):
            new = _taken(path, text, new, one, skipped_in_text(text), options, result)
        if new != text:
            bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
            _write(NewFile(path, data, bom + new.encode()), result)
    _notebooks(discovered, result, options)


def _near(path: Path, directories: Iterable[Path]) -> list[Path]:
    """The trials above a file, or below its directory."""
    return [
        one for one in directories if path.is_relative_to(one) or one.is_relative_to(path.parent)
    ]


def _place_of_trial(path: Path, directories: Iterable[Path]) -> PlaceOfTrial:
    """Where the nearest trial is, seen from a file."""
    near = _near(path, directories)
    if any(path.is_relative_to(one) for one in near):
        return "around"
    return "below" if near else ""


def _results(path: Path, text: str, options: Options, trial: PlaceOfTrial) -> Iterable[TextResult]:
    name, lowered = str(path), text.lower()
    if is_requirement_file(name) and (trial or "pedl" in lowered):
        yield migrate_requirements(name, text, options.cluster, trial, options.left_out)
    if is_shell_file(name) and ("pedl" in lowered or (trial and "from " in lowered)):
        yield migrate_shell(name, text, options.cluster)
    note = ignore_note(name, options.cluster)
    if note is not None:
        yield TextResult(text, (), (note,))


def _taken(
    path: Path,
    old: str,
    new: str,
    one: TextResult,
    skipped: Skipped,
    options: Options,
    result: Result,
    cell: int | None = None,
) -> str:
    """The text with what one kind of rules makes of it, unless the user wants it left."""
    unwanted = [
        change
        for change in one.changes
        if change.rule in options.left_out or change.line in skipped or options.excludes(path)
    ]
    for change in unwanted:
        message = f"{change.message} (left by your choice)"
        result.findings.append(
            Finding(Kind.SUPPRESSED, change.rule, path, change.line, message, cell=cell)
        )
    if unwanted:
        return new
    result.changes += [Change(change.rule, path, change.line, cell) for change in one.changes]
    result.findings += [
        finding_of(path, old, found, cell)
        for found in one.findings
        if found.rule not in options.left_out
        and found.line not in skipped
        and not options.excludes(path)
    ]
    return one.text


def _notebooks(discovered: Discovered, result: Result, options: Options) -> None:
    """Commands for a shell in the cells of notebooks."""
    paths = {one for project in discovered.projects for one in project.notebooks}
    paths |= set(discovered.notebooks)
    for path in sorted(paths):
        written = _bytes_of(path, result)
        try:
            document = Document.of(path, written)
        except Unreadable:
            continue
        sources = {}
        for cell in document.cells:
            if not cell.is_code or "pedl" not in cell.source:
                continue
            one = migrate_shell(str(path), cell.source, options.cluster)
            new = _taken(
                path, cell.source, cell.source, one, Skipped(), options, result, cell.number
            )
            if new != cell.source:
                sources[cell.number] = new
        if sources:
            new_data = document.with_sources(sources)
            _write(NewFile(path, path.read_bytes(), new_data), result)


def _bytes_of(path: Path, result: Result) -> bytes:
    """The bytes of a file after what is already to be written."""
    return next((file.new for file in result.files if file.path == path), None) or path.read_bytes()


def _write(file: NewFile, result: Result) -> None:
    """Add a file; one that is there already gets the new bytes."""
    known: Sequence[NewFile] = [one for one in result.files if one.path == file.path]
    if known:
        result.files = [
            replace(one, new=file.new) if one.path == file.path else one for one in result.files
        ]
    else:
        result.files.append(file)
