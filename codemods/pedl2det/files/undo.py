"""``migrate --undo``: every file of the last run as it was, or none."""

from __future__ import annotations

import contextlib
import shlex
from pathlib import Path

from pedl2det.errors import Pedl2DetError
from pedl2det.files.guard import repository_of
from pedl2det.files.journal import (
    Entry,
    Journal,
    forgotten,
    journals,
    remove_unfinished_journals,
    unfinished,
)
from pedl2det.files.write import Move, content, move_all, temporary


def undo(paths: list[Path], force: bool = False) -> Journal:
    """Take the last run below some paths back.

    Args:
        paths: files and directories.
        force: restore files that were changed since, too.

    Returns:
        The journal of that run, which is gone now.

    Raises:
        Pedl2DetError: there is no such run, it reached further than the paths, a file was changed
            since, or cannot be written. Nothing was restored.
    """
    journal = _last(paths)
    present = {entry.path: content(entry.path) for entry in journal.entries}
    changed = [entry for entry in journal.entries if _is_changed(entry, present[entry.path])]
    if changed and not force:
        lines = "".join(f"\n  {entry.path}" for entry in changed)
        raise Pedl2DetError(
            f"changed since the run of {journal.began}; nothing was restored "
            f"(--force restores them all the same):{lines}"
        )
    _clean(journal)
    move_all(
        [
            Move(path, temporary(path, journal.run, number), present[path], entry.old, entry.mode)
            for number, entry in enumerate(journal.entries)
            if present[path := entry.path] != entry.old
        ]
    )
    journal.discard()
    return journal


def refuse_half_done(paths: list[Path]) -> None:
    """Refuse to go on where a run was killed in the middle of its writing.

    Raises:
        Pedl2DetError: some of its files are old and others are new.
    """
    for journal in unfinished():
        if not _reaches(journal, paths):
            continue
        if len(set(map(_is_written, journal.entries))) > 1:
            raise Pedl2DetError(
                f"the run of {journal.began} was killed while it wrote: take it back first: "
                f"{_command(journal)}"
            )


def clean_killed(paths: list[Path]) -> None:
    """Remove what killed runs left behind: temporary files, and journals that nothing needs.

    The journal of a run that replaced some files and not others stays, for ``--undo``.
    """
    remove_unfinished_journals()
    for journal in unfinished():
        if not _reaches(journal, paths) or journal.is_running:
            continue
        _clean(journal)
        if all(map(_is_written, journal.entries)):
            journal.finish()
        elif _is_untouched(journal):
            journal.discard()


def _last(paths: list[Path]) -> Journal:
    """The last run that wrote below some paths, if all that it was asked for is below them."""
    for journal in journals():
        if _reaches(journal, paths):
            if not journal.is_done and _is_untouched(journal):
                _clean(journal)  # killed before it wrote
                journal.discard()
                continue
            if all(_is_below(root, paths) for root in journal.roots):
                return journal
            raise Pedl2DetError(
                f"the last run here, of {journal.began}, reached further, and is taken back "
                f"whole: {_command(journal)}"
            )
    shown = ", ".join(map(str, paths))
    message = f"{shown}: nothing to undo: no run that wrote here is remembered"
    raise Pedl2DetError("; ".join([message, *forgotten_runs(paths), *way_of_git(paths)]))


def forgotten_runs(paths: list[Path]) -> list[str]:
    """Say which runs in the repositories of some paths are no longer remembered."""
    return [f"runs in {top} until {time} are forgotten" for top, time in forgotten(paths)]


def way_of_git(paths: list[Path]) -> list[str]:
    """Say how git brings back what it tracks; nothing outside of a repository."""
    inside = [str(path) for path in paths if repository_of(path.resolve())]
    return [f"what git tracks comes back with: git restore {shlex.join(inside)}"] if inside else []


def _reaches(journal: Journal, paths: list[Path]) -> bool:
    """Whether a run was about something below some paths; its files may stand behind links."""
    written = (entry.path for entry in journal.entries)
    return any(_is_below(path, paths) for path in (*journal.roots, *written))


def _command(journal: Journal) -> str:
    return f"pedl2det migrate --undo {shlex.join(map(str, journal.roots))}"


def _is_below(path: Path, roots: list[Path]) -> bool:
    return any(path.is_relative_to(root.resolve()) for root in roots)


def _is_changed(entry: Entry, data: bytes | None) -> bool:
    """Whether somebody else wrote the file; one that a killed run did not reach is as it was.

    A link that took its place is somebody else's, whatever it points to.
    """
    return entry.path.is_symlink() or (data != entry.old and not entry.is_new(data))


def _is_untouched(journal: Journal) -> bool:
    """Whether every file is as it was before the run; one that was edited may have been written."""
    return all(content(entry.path) == entry.old for entry in journal.entries)


def _is_written(entry: Entry) -> bool:
    return entry.is_new(content(entry.path))


def _clean(journal: Journal) -> None:
    """Remove what a killed run left beside its files."""
    for number, entry in enumerate(journal.entries):
        with contextlib.suppress(OSError):
            temporary(entry.path, journal.run, number).unlink()
