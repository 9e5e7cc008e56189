"""A trial and its migrated twin, as copies, trained beside each other."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pedl2det.errors import Pedl2DetError


def copy_trial(directory: Path, target: Path) -> None:
    """Copy a trial with its data: what it writes into its directory must not reach the original.

    Results of earlier runs in it are left out.
    """

    def results(parent: str, names: list[str]) -> set[str]:
        left = {"__pycache__", ".git"}
        return {name for name in names if name in left or _is_results(Path(parent, name))}

    shutil.copytree(directory, target, ignore=results)


def _is_results(path: Path) -> bool:
    """Whether `pedl2det run` wrote a directory; one with checkpoints alone may be data."""
    return (path / "checkpoints").is_dir() and (path / "metrics.jsonl").is_file()


@dataclass(frozen=True)
class Twin:
    """One of the two trials.

    Attributes:
        name: how reports call it.
        directory: its copy.
        out: where its results go.
        config: its config, or None for the directory's own.
    """

    name: str
    directory: Path
    out: Path
    config: Path | None


def train(twins: tuple[Twin, Twin], batches: int | None) -> None:
    """Train both at the same time, each in a process of its own.

    Raises:
        Pedl2DetError: one of them failed, with what it said.
    """
    processes = [_start(twin, batches) for twin in twins]
    try:
        said = [process.communicate() for process in processes]
    except BaseException:
        for process in processes:
            process.kill()
        raise
    for twin, process, (_, errors) in zip(twins, processes, said, strict=True):
        if process.returncode != 0:
            lines = [line for line in errors.splitlines() if line.startswith("pedl2det: ")]
            reason = (lines or errors.strip().splitlines() or ["no message"])[-1]
            raise Pedl2DetError(
                f"the {twin.name} trial does not train: {reason.removeprefix('pedl2det: ')}"
            )


def _start(twin: Twin, batches: int | None) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pedl2det", "run", str(twin.directory), "--trace"]
    command += ["--slots", "1"]  # each batch of both is looked at
    command += ["--out", str(twin.out)]
    if twin.config is not None:
        command += ["--config", str(twin.config)]
    if batches is not None:
        command += ["--max-batches", str(batches)]
    return subprocess.Popen(  # noqa: S603 - our own command line
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=twin.out.parent
    )
