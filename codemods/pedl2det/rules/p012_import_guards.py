"""Remove guards around ``import pedl``; a test whether it is there becomes True."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import pedl2det_names as names
from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, ReplaceStatement, Unwrap, rewrite

NAME = "import-guards"

_TESTS = ast.BoolOp | ast.Compare | ast.If | ast.IfExp | ast.UnaryOp


def check(trial: Trial) -> Iterable[Fix]:
    """Keep what such a guard does beside; the imports go with what they imported."""
    for source in trial.modules:
        for node in source.names.of(ast.Try):
            is_skipped = any(line in source.skipped for line in _lines(node))
            if any(map(_imports_harness, node.body)) and not node.finalbody and not is_skipped:
                gone = [one for handler in node.handlers for one in handler.body]
                yield Fix(node, (Unwrap(node), *map(ReplaceStatement, gone)))
    for reference in trial.uses("pedl"):
        name, source = reference.node, reference.source
        if isinstance(name, ast.Name) and isinstance(source.names.parents[name], _TESTS):
            yield rewrite(name, "True")  # it always was there


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _imports_harness(node: ast.stmt) -> bool:
    match node:
        case ast.Import(names=aliases):
            return any(names.is_legacy(one.name) for one in aliases)
        case ast.ImportFrom(names=aliases):
            return any(names.is_legacy(imported_as(node, one)) for one in aliases)
    return False


EXAMPLE = """\
--- net.py
- try:
-     import pedl
-
-     HAS_PEDL = True
- except ImportError:
-     HAS_PEDL = False
+ HAS_PEDL = True


  class Net:
      def width(self):
-         return pedl.get_hyperparameter("width") if HAS_PEDL else 4
+         return self.context.get_hparam("width") if HAS_PEDL else 4
"""
