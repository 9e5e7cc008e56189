"""What forbids to replace files: bytes that git does not hold, files that are read-only."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from pedl2det.errors import Pedl2DetError

#: Set in hooks of git, for another repository than that of a file.
_ENVIRONMENT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")


def refuse_unsafe(files: list[Path]) -> None:
    """Refuse to replace files that are read-only, or whose bytes git does not hold.

    Raises:
        Pedl2DetError: it names them.
    """
    targets = [file.resolve() for file in files if file.exists()]
    _refuse("read-only", [path for path in targets if not os.access(path, os.W_OK)])
    _refuse("changes here are not committed", _named_by_git(_changed, targets))
    _refuse("git ignores this and cannot bring it back", _named_by_git(_ignored, targets))


def _refuse(what: str, files: list[Path]) -> None:
    if files:
        lines = "".join(f"\n  {file}" for file in files)
        raise Pedl2DetError(f"{what}; nothing was written (--force writes all the same):{lines}")


def _named_by_git(named: Callable[[Path, list[Path]], list[Path]], files: list[Path]) -> list[Path]:
    """Return the files that a question to git names, asked in each repository."""
    import shutil  # takes long, and --force needs none of this

    if shutil.which("git") is None:
        return []
    repositories: dict[Path, list[Path]] = {}
    for file in files:
        root = next((above for above in file.parents if (above / ".git").exists()), None)
        if root is not None:
            repositories.setdefault(root, []).append(file)
    return [file for root, inside in repositories.items() for file in named(root, inside)]


def _changed(root: Path, files: list[Path]) -> list[Path]:
    """Return the files of a repository that are changed, staged or untracked."""
    status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--"]
    answer = _asked(root, *status, *_relative(root, files)) or ()
    named = {root / entry[3:] for entry in answer}
    return [file for file in files if file in named]


def _ignored(root: Path, files: list[Path]) -> list[Path]:
    """Return the files of a repository that it ignores and does not hold."""
    held = _asked(root, "ls-files", "-z", "--", *_relative(root, files))
    return [one for one in files if held is not None and str(one.relative_to(root)) not in held]


def _relative(root: Path, files: list[Path]) -> list[str]:
    return [str(file.relative_to(root)) for file in files]


def _asked(root: Path, *question: str) -> set[str] | None:
    """Return the entries of git's answer; None where there is no repository."""
    environment = {key: text for key, text in os.environ.items() if key not in _ENVIRONMENT}
    command = ["git", "--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false"]
    done = subprocess.run(  # noqa: S603
        [*command, *question],
        cwd=root,
        env=environment | {"LC_ALL": "C"},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        said = os.fsdecode(done.stderr).strip().partition("\n")[0]
        if "not a git repository" in said:
            return None
        raise Pedl2DetError(
            f"{root}: git does not tell whether changes here are committed; nothing was written "
            f"(--force writes all the same): {said}"
        )
    return {os.fsdecode(entry) for entry in done.stdout.split(b"\0") if entry}
