"""``migrate --undo``: restore every file of the last run, or none."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pedl2det.errors import Pedl2DetError
from pedl2det.files.journal import (
    Journal,
    content,
    is_below,
    is_running,
    journals,
    remove_unfinished_journals,
    repository_of,
    unfinished,
)
from pedl2det.files.write import replace_all


def undo(paths: Sequence[Path], force: bool = False) -> Journal:
    """Undo the last run below some paths.

    With ``force``, files that were changed since are restored too. The journal of that run is
    returned, and removed from the disk.

    Raises:
        Pedl2DetError: there is no such run, it reached further than the paths, a file was changed
            since, or cannot be written. Nothing was restored.
    """
    journal = _last(paths)
    changed = [  # a link that replaced a file is somebody else's, wherever it points
        entry.path
        for entry in journal.entries
        if entry.path.is_symlink() or not (entry.is_untouched or entry.is_written)
    ]
    if changed and not force:
        lines = "".join(f"\n  {path}" for path in changed)
        raise Pedl2DetError(
            f"changed since the run of {journal.began}; nothing was restored "
            f"(--force restores them all the same):{lines}"
        )
    _clean(journal)
    touched = [entry for entry in journal.entries if not entry.is_untouched]
    replace_all([replace(entry, old=content(entry.path), new=entry.old) for entry in touched])
    journal.discard()
    return journal


def refuse_half_done(paths: Sequence[Path]) -> None:
    """Raise an error where a run was killed while it wrote: some files are old, others new."""
    for journal in unfinished():
        if journal.reaches(paths) and len({entry.is_written for entry in journal.entries}) > 1:
            raise Pedl2DetError(
                f"the run of {journal.began} was killed while it wrote: take it back first: "
                f"{_command(journal)}"
            )


def clean_killed(paths: Sequence[Path]) -> None:
    """Remove what killed runs left behind: temporary files, and journals that nothing needs."""
    remove_unfinished_journals()
    for journal in unfinished():
        if not journal.reaches(paths) or is_running(journal.file):
            continue
        _clean(journal)
        if all(entry.is_written for entry in journal.entries):
            journal.finish()
        elif all(entry.is_untouched for entry in journal.entries):
            journal.discard()  # one that replaced some files and not others stays, for ``--undo``


def _last(paths: Sequence[Path]) -> Journal:
    """The last run that wrote below some paths, if all that it was asked for is below them."""
    for journal in journals():
        if not journal.reaches(paths):
            continue
        if not journal.is_done and all(entry.is_untouched for entry in journal.entries):
            _clean(journal)  # killed before it wrote
            journal.discard()
        elif all(is_below(root, paths) for root in journal.roots):
            return journal
        else:
            raise Pedl2DetError(
                f"the last run here, of {journal.began}, reached further, and is taken back "
                f"whole: {_command(journal)}"
            )
    message = f"{', '.join(map(str, paths))}: nothing to undo: no run that wrote here is remembered"
    if inside := [str(path) for path in paths if repository_of(path.resolve())]:
        message += f"; what git tracks comes back with: git restore {shlex.join(inside)}"
    raise Pedl2DetError(message)


def _command(journal: Journal) -> str:
    return f"pedl2det migrate --undo {shlex.join(map(str, journal.roots))}"


def _clean(journal: Journal) -> None:
    """Remove what a killed run left beside its files."""
    for entry in journal.entries:
        with contextlib.suppress(OSError):
            entry.temporary.unlink()
