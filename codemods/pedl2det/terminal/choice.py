"""Choose how a run is shown."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from pedl2det.visible import say


def display(
    out: Path | None, to_resume: Callable[[tuple[str, ...]], str], *, quiet: bool, as_json: bool
) -> AbstractContextManager[Any]:
    """Return what shows a run, to be entered while it trains.

    Args:
        out: the run's directory, as people call it; None if its results are removed.
        to_resume: returns the command that goes on with the run, with more values of its config.
        quiet: show notices only, on stderr.
        as_json: print one JSON object for each event.
    """
    if quiet:
        from pedl2det.terminal.quiet import Quiet

        return nullcontext(Quiet())
    if as_json:
        from pedl2det.terminal.json_lines import JsonLines

        return nullcontext(JsonLines(out))
    if sys.stdout.isatty() and importlib.util.find_spec("rich"):
        from pedl2det.terminal.bar import Bar

        return Bar(out, to_resume)
    from pedl2det_runtime.trainer.display import Lines

    return nullcontext(Lines(say, out))
