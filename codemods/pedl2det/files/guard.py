"""What forbids to replace files: changes that are not committed, permissions.

Files that git does not track are replaced as outside of a repository: the journal has their bytes.
"""

from __future__ import annotations

import os
from pathlib import Path

from pedl2det.errors import Pedl2DetError
from pedl2det.files.git import asked


def refuse_unsafe(files: list[Path]) -> None:
    """Refuse to replace files that are read-only, or have changes that are not committed.

    Raises:
        Pedl2DetError: it names them.
    """
    targets = [file.resolve() for file in files if file.exists()]
    _refuse("read-only", [path for path in targets if not os.access(path, os.W_OK)])
    _refuse("changes here are not committed", _changed(targets))


def repository_of(path: Path) -> Path | None:
    """Return the top of the git repository that a resolved path is in; None if it is in none."""
    return next((above for above in (path, *path.parents) if (above / ".git").exists()), None)


def _refuse(what: str, files: list[Path]) -> None:
    if files:
        lines = "".join(f"\n  {file}" for file in files)
        raise Pedl2DetError(f"{what}; nothing was written (--force writes all the same):{lines}")


def _changed(files: list[Path]) -> list[Path]:
    """Return the files that git tracks and that have changes, asked in each repository."""
    import shutil  # takes long, and --force needs none of this

    if shutil.which("git") is None:
        return []
    repositories: dict[Path, list[Path]] = {}
    for file in files:
        root = repository_of(file)
        if root is not None:
            repositories.setdefault(root, []).append(file)
    changed = {path for root, inside in repositories.items() for path in _asked(root, inside)}
    return [file for file in files if file in changed]


def _asked(root: Path, files: list[Path]) -> set[Path]:
    """Return the files of a repository of which git's status is another than *added*.

    A new file that is added to the index and not changed since is as git has it.
    """
    status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=no", "--"]
    done = asked(root, *status, *(str(file.relative_to(root)) for file in files))
    if done.returncode:
        said = os.fsdecode(done.stderr).strip().partition("\n")[0]
        if "not a git repository" in said:
            return set()
        raise Pedl2DetError(
            f"{root}: git does not tell whether changes here are committed; nothing was written "
            f"(--force writes all the same): {said}"
        )
    entries = [os.fsdecode(entry) for entry in done.stdout.split(b"\0") if entry]
    return {root / entry[3:] for entry in entries if entry[:2].strip() != "A"}
