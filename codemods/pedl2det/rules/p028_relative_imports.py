"""Relative imports of modules beside the trial's become absolute.

The old harness imported the directory as a package. The new entrypoint imports a module of it by
its own name, so a relative import there has no package to start from.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, ReplaceStatement
from pedl2det.rules.cases import Case, pedl_trial

ID = "P028"
NAME = "relative-imports"


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite relative imports that reach the directory of the trial itself."""
    for name, source in trial.modules.by_name.items():
        is_package = source.path.stem == "__init__"
        packages = 0 if name == "__init__" else name.count(".") + is_package
        for node in source.names.of(ast.ImportFrom):
            if node.level > packages:
                names = ", ".join(map(ast.unparse, node.names))
                code = f"from {node.module} import {names}" if node.module else f"import {names}"
                yield Fix(ID, source, node, (ReplaceStatement(node, code),))


_BESIDE = """\
{start}
from {dot}sizes import WIDTH


def units():
    return sizes.SCALE * WIDTH
"""

CASES = (
    Case(
        pedl_trial(
            _BESIDE.format(start="from . import sizes", dot="."), sizes="WIDTH = 4\nSCALE = 2\n"
        ),
        {"net.py": _BESIDE.format(start="import sizes", dot="")},
    ),
)
