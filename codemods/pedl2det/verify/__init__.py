"""Prove that a trial trains the same after its migration."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pedl2det.engine.proving import Verdict


def verify_trial(directory: Path, config: Path | None) -> Verdict:
    """Compare a trial with its migrated copy, in a process of its own.

    Args:
        directory: the trial, as it is before its migration.
        config: the experiment config to train by; None for the directory's own.
    """
    command = [sys.executable, "-m", "pedl2det", "verify", str(directory)]
    if config is not None:
        command += ["--config", str(config)]
    done = subprocess.run(  # noqa: S603 - our own command line
        command, capture_output=True, text=True, check=False
    )
    lines = (done.stdout + done.stderr).strip().splitlines() or ["no message"]
    said = [line for line in lines if line.startswith(("equal:", "different:", "pedl2det:"))]
    return Verdict(done.returncode == 0, (said or lines)[-1].removeprefix("pedl2det: "))
