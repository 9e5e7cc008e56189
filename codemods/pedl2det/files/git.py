"""Ask git about a directory; nothing is changed by it, the index neither."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

#: Set in hooks of git, for another repository than that of a file.
_ENVIRONMENT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
_GIT = ("git", "--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false")


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
