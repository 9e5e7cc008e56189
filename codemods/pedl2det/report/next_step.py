"""The command to call after a migration, which works as it is printed."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from pedl2det.engine.result import Outcome, Result, Status
from pedl2det.visible import shown


def next_steps(
    result: Result, arguments: Sequence[str], *, writes: bool, proves: bool
) -> Iterator[str]:
    """Return what to do next in lines.

    Args:
        result: what the migration does.
        arguments: those of the command that count again: what it leaves out, and its paths.
        writes: whether it has written its files.
        proves: whether it has verified the trials.
    """
    again = _command("migrate", *arguments)
    if any(one.status is Status.BEGUN for one in result.outcomes):
        yield f"next: finish what is left, then {again}"
    ready = [one for one in result.outcomes if one.status.is_finished and one.files]
    if not ready:
        return
    if proves and not writes:
        yield f"next: {again}"
    elif writes:
        yield f"next: {_command('run', *_trial(ready[0]), *_out(ready[0]))}"
    elif len(ready) == 1:
        yield f"next: {_command('verify', *_trial(ready[0]))}"
    else:
        yield f"next: {_command('migrate', '--verify', *arguments)}"


def _trial(outcome: Outcome) -> list[str]:
    """The directory of a trial, and its config where the directory does not say which it is."""
    home = outcome.directory
    beside = [*home.glob("*.yaml"), *home.glob("*.yml")]
    named = [path for path in beside if path.stem == "const"]
    config = min(  # to train one trial comes before a search
        outcome.configs,
        key=lambda path: (path.stem != "const", b"single" not in path.read_bytes(), path),
        default=None,
    )
    if config is None or [config] in (beside, named):
        return [shown(home)]
    return [shown(home), "-c", shown(config)]


def _out(outcome: Outcome) -> list[str]:
    """Where the results of a trial go, if other results are where they would."""
    out = Path("runs", outcome.directory.resolve().name)
    others = (out.with_name(f"{out.name}-{number}") for number in itertools.count(2))
    outs = itertools.chain([out], others)
    free = next(path for path in outs if not path.exists() or _is_empty(path))
    return ["--out", str(free)] if free != out else []


def _is_empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _command(*words: str) -> str:
    return shlex.join(["pedl2det", *words])
