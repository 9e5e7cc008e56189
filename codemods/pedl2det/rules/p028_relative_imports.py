"""Relative imports of modules beside the trial's become absolute.

The old harness imported the directory as a package. The new entrypoint imports a module of it by
its own name, so a relative import there has no package to start from.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, Remark, ReplaceStatement
from pedl2det.rules.cases import Case, pedl_trial

ID = "P028"
NAME = "relative-imports"

_DOTS = re.compile(r"from\s+\.[.\s]*")


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite relative imports that reach the directory of the trial itself."""
    for name, source in trial.modules.by_name.items():
        depth = _depth(name, source)
        for node in source.names.of(ast.ImportFrom):
            if node.level and node.level > depth:
                edit = ReplaceStatement(node, _absolute(source, node))
                yield Fix(ID, source, node, (edit,))


def _depth(name: str, source: Source) -> int:
    """How many packages of the project are around the code of a module."""
    is_package = source.path.stem == "__init__"
    return 0 if name == "__init__" else name.count(".") + is_package


def _absolute(source: Source, node: ast.ImportFrom) -> str:
    if node.module:
        return _DOTS.sub("from ", source.segment(node), count=1)
    if node.names[0].name == "*":
        return ""
    return "\n".join(
        f"import {one.name}" + (f" as {one.asname}" if one.asname else "") for one in node.names
    )


_SIZES = "WIDTH = 4\nSCALE = 2\n"
_BESIDE = """\
{start}
from {dot}sizes import WIDTH


def units():
    return sizes.SCALE * WIDTH
"""
_PACKAGE = """\
from {dots}sizes import SCALE
from .narrow import WIDTH


def units():
    return SCALE * WIDTH
"""
_PARTS = {"sizes": _SIZES, "parts/__init__": "", "parts/narrow": "WIDTH = 4\n"}
_USING = "from parts.wide import units\n"

CASES = (
    Case(
        pedl_trial(_BESIDE.format(start="from . import sizes", dot="."), sizes=_SIZES),
        {"net.py": _BESIDE.format(start="import sizes", dot="")},
    ),
    Case(  # an import within a package of the project stays
        pedl_trial(_USING, **_PARTS, **{"parts/wide": _PACKAGE.format(dots="..")}),
        {"parts/wide.py": _PACKAGE.format(dots="")},
    ),
)
