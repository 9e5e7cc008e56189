"""What forbids to replace files: changes that git does not hold yet, files that are read-only."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from pedl2det.errors import Pedl2DetError

#: Set in hooks of git, for another repository than that of a file.
_ENVIRONMENT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")


def refuse_unsafe(files: list[Path]) -> None:
    """Refuse to replace files that are read-only or have changes that are not committed.

    Raises:
        Pedl2DetError: it names them.
    """
    targets = [file.resolve() for file in files if file.exists()]
    _refuse("read-only", [path for path in targets if not os.access(path, os.W_OK)])
    _refuse("changes here are not committed", _uncommitted(targets))


def _refuse(what: str, files: list[Path]) -> None:
    if files:
        lines = "".join(f"\n  {file}" for file in files)
        raise Pedl2DetError(f"{what}; nothing was written (--force writes all the same):{lines}")


def _uncommitted(files: list[Path]) -> list[Path]:
    """The files whose bytes git would lose: changed, staged or untracked."""
    import shutil  # takes long, and --force needs none of this

    if shutil.which("git") is None:
        return []
    repositories: dict[Path, list[Path]] = {}
    for file in files:
        root = next((above for above in file.parents if (above / ".git").exists()), None)
        if root is not None:
            repositories.setdefault(root, []).append(file)
    return [file for root, inside in repositories.items() for file in _changed(root, inside)]


def _changed(root: Path, files: list[Path]) -> list[Path]:
    """The files of a repository that ``git status`` names."""
    environment = {key: text for key, text in os.environ.items() if key not in _ENVIRONMENT}
    command = ["git", "--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false"]
    status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--"]
    done = subprocess.run(  # noqa: S603
        [*command, *status, *(str(file.relative_to(root)) for file in files)],
        cwd=root,
        env=environment | {"LC_ALL": "C"},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        said = os.fsdecode(done.stderr).strip().partition("\n")[0]
        if "not a git repository" in said:
            return []
        raise Pedl2DetError(
            f"{root}: git does not tell whether changes here are committed; nothing was written "
            f"(--force writes all the same): {said}"
        )
    named = {root / os.fsdecode(entry[3:]) for entry in done.stdout.split(b"\0") if entry}
    return [file for file in files if file in named]
