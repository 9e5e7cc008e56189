"""The command to call after a migration, which works as it is printed."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from pedl2det.engine.result import Outcome, Result, Status
from pedl2det.report.visible import shown


def next_steps(
    result: Result, paths: Sequence[Path], *, writes: bool, proves: bool
) -> Iterator[str]:
    """Return what to do next in lines.

    Args:
        result: what the migration does.
        paths: the paths that were migrated.
        writes: whether it has written its files.
        proves: whether it has verified the trials.
    """
    again = _command("migrate", *map(str, paths))
    if any(one.status is Status.BEGUN for one in result.outcomes):
        yield f"next: finish what is left, then {again}"
    ready = [one for one in result.outcomes if one.status.is_finished and one.files]
    if not ready:
        return
    if writes:
        yield f"next: {_run(ready[0])}"
    elif proves:
        yield f"next: {again}"
    elif len(ready) == 1:
        config = _config(ready[0])
        more = ["-c", shown(config)] if config is not None else []
        yield f"next: {_command('verify', shown(ready[0].directory), *more)}"
    else:
        yield f"next: {_command('migrate', '--verify', *map(str, paths))}"


def _run(outcome: Outcome) -> str:
    """The command that trains a trial, into a directory that holds no other run."""
    config = _config(outcome)
    trial = shown(outcome.directory if config is None else config)
    out = Path("runs", outcome.directory.resolve().name)
    outs = (out.with_name(f"{out.name}-{number}") for number in itertools.count(2))
    free = next(path for path in itertools.chain([out], outs) if not _is_used(path))
    return _command("run", trial, *(["--out", str(free)] if free != out else []))


def _is_used(out: Path) -> bool:
    return out.exists() and not (out.is_dir() and not any(out.iterdir()))


def _config(outcome: Outcome) -> Path | None:
    """The config to name, where a trial has several: that of one trial before searches."""
    if len(outcome.configs) < 2:
        return None
    return min(
        outcome.configs,
        key=lambda path: (path.stem != "const", b"single" not in path.read_bytes(), path),
    )


def _command(*words: str) -> str:
    return shlex.join(["pedl2det", *words])
