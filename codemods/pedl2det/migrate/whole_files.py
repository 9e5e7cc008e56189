"""The rules about whole files, whatever becomes of the trials: commands, requirements."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pedl2det.facts.skipping import skipped_in_text
from pedl2det.findings import Finding, Kind
from pedl2det.migrate.choice import Choice
from pedl2det.migrate.result import NewFile, Result
from pedl2det.rules import FILE_RULES, FileRule
from pedl2det.tables.legacy import mentions_legacy


def migrate_files(files: list[Path], result: Result, choice: Choice) -> None:
    """Apply the rules to files; one that a trial's rules rewrote gets both.

    Args:
        files: the files.
        result: what is done so far; it is added to.
        choice: what the user left out.
    """
    written = {file.path: file for file in result.files}
    for path in files:
        rules = [rule for rule in FILE_RULES if rule.applies(path)]
        old = path.read_bytes() if rules else b""
        if not mentions_legacy(old.lower()):  # a requirement's name may be in capitals
            continue
        file = written.get(path) or NewFile(path, old, old)
        for rule in rules:
            told = rule.rewrite(path, old)  # places are those of the file as it is
            is_skipped = skipped_in_text(old.decode("utf-8", errors="replace"))
            if rule.id in choice.left_out or choice.excludes(path) or is_skipped:
                _leave(rule, path, len(told.changes) + told.refused, result)
                continue
            result.changes += told.changes
            result.findings += told.findings
            result.rewritten += len(told.changes)
            result.refused += told.refused
            file = replace(file, new=rule.rewrite(path, file.new).data)
        if file.new != old:
            written[path] = file
    result.files = list(written.values())


def _leave(rule: FileRule, path: Path, names: int, result: Result) -> None:
    if names:
        message = f"{rule.name} was left out, or this file was: it stays as it is"
        result.findings.append(Finding(Kind.SUPPRESSED, rule.id, path, 1, message))
        result.suppressed += names
