"""A run that is not watched: what needs attention, and nothing else."""

from __future__ import annotations

from pedl2det.visible import say
from pedl2det_runtime.trainer.display import Nothing


class Quiet(Nothing):
    """Prints notices on stderr."""

    def say(self, line: str) -> None:
        """Print a notice."""
        say(line, err=True)
