"""Show each warning once in a run.

A warning of the runtime may repeat with every validation. Python shows a warning once for each line
of code, but again after any ``warnings.catch_warnings()``, such as one around a checkpoint.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import TextIO

_shown: set[Hashable] | None = None  #: what was shown in this run; None outside one


def logger(name: str) -> logging.Logger:
    """Return the logger of a module, which logs each warning once in a run."""
    module_logger = logging.getLogger(name)
    module_logger.addFilter(_is_first)
    return module_logger


@contextmanager
def shown_once() -> Iterator[None]:
    """Show each warning of this package and of Python once inside the ``with`` block."""
    global _shown
    before, _shown = _shown, set()
    show = warnings.showwarning

    def show_first(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if _is_new((str(message), category, filename, lineno)):
            show(message, category, filename, lineno, file, line)

    warnings.showwarning = show_first
    try:
        yield
    finally:
        _shown = before
        if warnings.showwarning is show_first:
            warnings.showwarning = show


def _is_first(record: logging.LogRecord) -> bool:
    return record.levelno < logging.WARNING or _is_new((record.name, record.getMessage()))


def _is_new(key: Hashable) -> bool:
    if _shown is None:
        return True
    is_new = key not in _shown
    _shown.add(key)
    return is_new
