"""Relative imports of modules beside the trial's become absolute.

The old harness imported the directory as a package. The new entrypoint imports a module of it by
its own name, so a relative import there has no package to start from.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, ReplaceStatement

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
                yield Fix(node, (ReplaceStatement(node, code),))


EXAMPLE = """\
--- net.py
- from . import sizes
- from .sizes import WIDTH
+ import sizes
+ from sizes import WIDTH


  def units():
      return sizes.SCALE * WIDTH
"""
