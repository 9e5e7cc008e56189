"""Record in a run's directory which checkpoint the run began with.

A run that ends before its first own checkpoint begins again with the recorded one when it resumes.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter

from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.errors import ConfigError

NAME = "pedl2det-source.json"


@dataclass(frozen=True)
class SourceCheckpoint:
    """The checkpoint that a new run begins with.

    Attributes:
        path: its directory, absolute.
        weights_only: whether only its weights are taken.
    """

    path: Path
    weights_only: bool = False

    def __str__(self) -> str:
        """Return the options that name it."""
        return f"--from-checkpoint {self.path}{' --weights-only' if self.weights_only else ''}"


def read(out: Path) -> SourceCheckpoint | None:
    """Return the checkpoint that the run in ``out`` began with; None if none is recorded.

    Raises:
        ConfigError: pedl2det did not write the file of this name.
    """
    path = out / NAME
    ownership.refuse_foreign(path, directory=False)
    try:
        return TypeAdapter(SourceCheckpoint).validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        raise ConfigError(
            f"{path}: pedl2det did not write this, and does not replace it: move it away, "
            "or choose another directory with --out"
        ) from None


def write(out: Path, source: SourceCheckpoint | None) -> None:
    """Record the checkpoint that a new run begins with, atomically; replace an earlier record.

    Raises:
        ConfigError: the record cannot be written, or pedl2det did not write the present one.
    """
    path = out / NAME
    present = read(out)
    try:
        if source is not None:
            with tempfile.TemporaryDirectory(dir=out, prefix=f".{NAME}.") as beside:
                partial = Path(beside, NAME)
                partial.write_text(json.dumps(asdict(source), default=str) + "\n", encoding="utf-8")
                partial.replace(path)
        elif present is not None:
            path.unlink()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
