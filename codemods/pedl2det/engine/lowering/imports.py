"""Imports that the trial of a script needs, beside those of the script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from pedl2det.analysis.source import Source
from pedl2det.engine.lowering.blocks import is_docstring

_CALLBACK = "LambdaCallback"


def last_callback(source: Source) -> tuple[str, str]:
    """How a file names ``LambdaCallback``, and the import for it if it needs one."""
    names = source.names
    known = {local: set(names.module_bindings(local)) for local in ("tf", "keras", _CALLBACK)}
    if known[_CALLBACK]:
        return _CALLBACK, ""
    if known["tf"] == {"tensorflow"}:
        return f"tf.keras.callbacks.{_CALLBACK}", ""
    if known["keras"] in ({"keras"}, {"tensorflow.keras"}, {"tensorflow.python.keras"}):
        return f"keras.callbacks.{_CALLBACK}", ""
    return _CALLBACK, f"from tensorflow.keras.callbacks import {_CALLBACK}"


def with_imports(lines: Sequence[Any], imports: Sequence[str], source: Source) -> list[Any]:
    """Statements of a module with more imports behind its first ones."""
    present = set(source.lines)
    new = [cst.parse_statement(one) for one in dict.fromkeys(imports) if one not in present]
    at = 1 if lines and is_docstring(lines[0]) else 0
    for number, line in enumerate(lines):
        if isinstance(line, cst.FunctionDef | cst.ClassDef):
            break
        if isinstance(line, cst.SimpleStatementLine) and isinstance(
            line.body[0], cst.Import | cst.ImportFrom
        ):
            at = number + 1
    return [*lines[:at], *new, *lines[at:]]
