"""Ask git about files; nothing is changed by it, the index neither.

Files that git does not track are replaced as outside of a repository: the journal has their bytes.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from pedl2det.errors import Pedl2DetError

#: Set in hooks of git, for another repository than that of a file.
_ENVIRONMENT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
_GIT = ("git", "--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false")
_STATUS = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=no", "--")
_NOTHING = "nothing was written (--force writes all the same):"


def asked(directory: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command of git that only reads, in the repository that a directory is in.

    Raises:
        OSError: there is no git.
    """
    environment = {key: text for key, text in os.environ.items() if key not in _ENVIRONMENT}
    return subprocess.run(  # noqa: S603
        [*_GIT, *arguments],
        cwd=directory,
        env=environment | {"LC_ALL": "C"},
        capture_output=True,
        check=False,
    )


def repository_of(path: Path) -> Path | None:
    """Return the top of the git repository that a resolved path is in; None if it is in none."""
    return next((above for above in (path, *path.parents) if (above / ".git").exists()), None)


def refuse_unsafe(files: list[Path]) -> None:
    """Refuse to replace files that are read-only, or have changes that are not committed.

    Raises:
        Pedl2DetError: it names them.
    """
    targets = [file.resolve() for file in files if file.exists()]
    changed: set[Path] = set()
    for root in {root for target in targets if (root := repository_of(target))}:
        changed |= _changed(root, [target for target in targets if repository_of(target) == root])
    for what, unsafe in (
        ("read-only", [path for path in targets if not os.access(path, os.W_OK)]),
        ("changes here are not committed", [path for path in targets if path in changed]),
    ):
        if unsafe:
            lines = "".join(f"\n  {file}" for file in unsafe)
            raise Pedl2DetError(f"{what}; {_NOTHING}{lines}")


def _changed(root: Path, files: list[Path]) -> set[Path]:
    """Return the files of a repository of which git's status is another than *added*.

    A new file that is added to the index and not changed since is as git has it.
    """
    try:
        done = asked(root, *_STATUS, *(str(file.relative_to(root)) for file in files))
    except OSError:  # there is no git
        return set()
    if done.returncode:
        reason = os.fsdecode(done.stderr).strip().partition("\n")[0]
        if "not a git repository" in reason:
            return set()
        raise Pedl2DetError(
            f"{root}: git does not tell whether changes here are committed; {_NOTHING} {reason}"
        )
    entries = [os.fsdecode(entry) for entry in done.stdout.split(b"\0") if entry]
    return {root / entry[3:] for entry in entries if entry[:2].strip() != "A"}
