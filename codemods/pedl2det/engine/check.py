"""Check new texts: they compile, use only names that exist, and account for every legacy name.

Legacy names are counted in the new texts, which are parsed again: the rules are not relied on.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.bindings import name_of
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.names import root_and_attributes
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Reference, references_in
from pedl2det.edits.comments import FOR_TOOLS
from pedl2det.edits.flakes import wrong_names
from pedl2det.engine.marks import is_marked
from pedl2det.engine.migration import Migration
from pedl2det.findings import Finding, Kind


def problem_with(old: Source, new: Source) -> str | None:
    """Return what is wrong with the new text of a file but not with the old one, or None."""
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(new.tree, str(new.path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError) as error:
        return f"would not compile: {error}"
    wrong = wrong_names(new.tree)
    if wrong:
        wrong -= wrong_names(old.tree)
    return f"would {min(wrong)}" if wrong else old.problem_with(new.text)


def account(migration: Migration, new: Mapping[str, Source]) -> list[Reference]:
    """Count the legacy names of new texts; return those that nothing accounts for.

    An import shares the fate of what it is used for. Where the user left a rule or a place out,
    names that nothing else accounts for stay by the user's choice.
    """
    is_chosen = bool(migration.dropped)
    fates: dict[tuple[Path, str], set[str]] = defaultdict(set)
    open_names = []
    counts = {"marked": migration.marked, "suppressed": migration.suppressed}
    may_have_any = any(names.mentions_legacy(source.text.encode()) for source in new.values())
    references = references_in(Modules(new)) if may_have_any else ()
    legacy = [reference for reference in references if names.is_legacy(reference.dotted)]
    for reference in sorted(legacy, key=lambda reference: reference.is_import):
        path, name = reference.source.path, name_of(root_and_attributes(reference.node)[0]) or ""
        uses = fates[path, name] if reference.is_import else set()
        statement = reference.source.names.statement_of(reference.node)
        has_mark = is_marked(reference.source, statement)
        if reference.node.lineno in reference.source.skipped:
            fate = "suppressed"
        elif has_mark or uses & {"marked", "open"}:
            fate = "marked"
        elif uses or is_chosen:
            fate = "suppressed"
        else:
            fate = "open"
        fates[path, name].add(fate)
        if fate == "open":
            open_names.append(reference)
        else:
            counts[fate][path] += 1
    return open_names


#: A comment, or what looks like one in a string.
_COMMENT = re.compile("#[^\r\n]*")


def lost_comments(source: Source, new: str) -> Iterator[Finding]:
    """Report the comments for people that a new text lacks."""
    # A comment behind a statement that is deleted, such as an import, goes with it; all others
    # move to the line above (:mod:`pedl2det.edits.comments`).
    lost = Counter(_COMMENT.findall(source.text)) - Counter(_COMMENT.findall(new))
    for line, text in enumerate(source.lines if lost else (), 1):
        for comment in _COMMENT.findall(text):
            if lost[comment] > 0 and not comment.startswith(FOR_TOOLS):
                lost[comment] -= 1
                cell, at = source.place(line)
                message = f"the comment `{comment}` went with the code that it stood by"
                yield Finding(Kind.NOTE, "scan", source.path, at, message, cell=cell)
