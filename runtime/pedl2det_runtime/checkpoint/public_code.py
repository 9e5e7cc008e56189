"""Code as a checkpoint holds it: with stars in place of credentials."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable
from itertools import zip_longest
from pathlib import Path

from pedl2det_runtime.config.credentials import masked, parts_in_code


def code_without_credentials(path: Path) -> bytes | None:
    """Return what a checkpoint holds of a file: of a module, its code with masked credentials.

    A module is masked, not left out, because the trial imports it. None if no code would be left.
    """
    data = path.read_bytes()
    return _masked(data) if path.suffix == ".py" else data


@functools.lru_cache(maxsize=1000)  # each checkpoint asks for the same files
def _masked(data: bytes) -> bytes | None:
    text = data.decode("latin-1")  # keeps every byte, whatever the encoding is
    public = masked(text, parts_in_code(text)).encode("latin-1")
    if public == data:
        return data
    try:
        ast.parse(public)
    except (SyntaxError, ValueError):
        return None
    return public


def publishable_code(
    paths: Iterable[Path], directory: Path, say: Callable[[str], None]
) -> tuple[Path, ...]:
    """Return the files that a checkpoint can hold; name those with credentials.

    Args:
        paths: the trial's files.
        directory: the trial's directory.
        say: prints one line about each file with credentials.
    """
    kept = []
    for path in paths:
        name, public = path.relative_to(directory), code_without_credentials(path)
        if public is None:
            say(f"checkpoints do not contain {name}: it may hold credentials that cannot be masked")
            continue
        kept.append(path)
        if public == (data := path.read_bytes()):
            continue
        pairs = zip_longest(data.splitlines(), public.splitlines())
        lines = [str(number) for number, (old, new) in enumerate(pairs, 1) if old != new]
        where = f"line{'s' * (len(lines) > 1)} {', '.join(lines)}"
        say(f"checkpoints contain {name} with stars in place of credentials ({where})")
    return tuple(kept)
