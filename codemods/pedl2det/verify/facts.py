"""What a signed report has to name: date, versions, commit, seed, config, duration."""

from __future__ import annotations

import datetime
import platform
import subprocess
from pathlib import Path

from pedl2det import __version__


def facts(directory: Path, config: Path, results: Path, seconds: float) -> dict[str, str]:
    """Return the circumstances of a verification, in the order in which they are shown.

    Args:
        directory: the trial.
        config: the experiment config.
        results: the results directory of the old trial.
        seconds: how long the verification took.
    """
    found = {
        "Date": f"{datetime.datetime.now().astimezone():%Y-%m-%d %H:%M %Z}",
        "Trial": str(directory.resolve()),
        "Commit": _commit(directory),
        "Config": str(config),
        **_of_run(results),
        "Versions": f"pedl2det {__version__}, Python {platform.python_version()}",
        "Duration": f"{seconds:.0f} s",
    }
    if "Frameworks" in found:
        found["Versions"] += f", {found.pop('Frameworks')}"
    return {name: value for name, value in found.items() if value}


def _of_run(results: Path) -> dict[str, str]:
    from pedl2det_runtime.checkpoint.directory import latest
    from pedl2det_runtime.checkpoint.state import read_state, written_with

    checkpoint = latest(results / "checkpoints")
    if checkpoint is None:
        return {}
    written = written_with(checkpoint)
    return {
        "Seed": str(read_state(checkpoint).seed),
        "Frameworks": f"{written['framework'].replace('-', ' ')}, Keras {written['keras']}",
    }


def _commit(directory: Path) -> str:
    """Return the commit of a directory; "" if it is in no repository of git."""
    commit = _git(directory, "rev-parse", "HEAD")
    if not commit:
        return ""
    has_changes = _git(directory, "status", "--porcelain", "--", ".")
    return f"{commit} and changes that are not committed" if has_changes else commit


def _git(directory: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603
            ["git", "-C", str(directory), *arguments],  # noqa: S607 - the user's own
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
