"""Remove guards around ``import pedl``; a test whether it is there becomes True or False."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import pedl2det_names as names
from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, Remark, Replace, ReplaceStatement
from pedl2det.rules.cases import Case, pedl_trial

ID = "P012"
NAME = "import-guards"

_CAUGHT = {"ImportError", "ModuleNotFoundError", "Exception"}


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Drop guards around imports of the old harness, and tests whether it is there."""
    for source in trial.modules:
        for node in source.names.of(ast.Try):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            if _guards_harness(node) and not any(line in source.skipped for line in lines):
                kept = [one for one in (*node.body, *node.orelse) if not _imports_harness(one)]
                code = "\n".join(source.segment(one) for one in kept)
                yield Fix(ID, source, node, (ReplaceStatement(node, code),))
    for reference in trial.references:
        name, home = reference.node, reference.source
        is_module = reference.dotted in ("pedl", "pedl.frameworks", "pedl.frameworks.keras")
        if is_module and isinstance(name, ast.Name) and _is_tested(home.names.parents[name], name):
            yield Fix(ID, home, name, (Replace(name, "True"),))  # it always was there


def _guards_harness(node: ast.Try) -> bool:
    caught = {ast.unparse(one.type) for one in node.handlers if one.type is not None}
    return (
        not node.finalbody
        and (caught <= _CAUGHT or not caught)
        and any(_imports_harness(one) for one in node.body)
        and all(_is_import_or_flag(one) for one in node.body)
    )


def _is_import_or_flag(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)


def _imports_harness(node: ast.stmt) -> bool:
    match node:
        case ast.Import(names=aliases):
            return any(names.is_legacy(one.name) for one in aliases)
        case ast.ImportFrom(names=aliases):
            return any(names.is_legacy(imported_as(node, one)) for one in aliases)
    return False


def _is_tested(parent: ast.AST, node: ast.Name) -> bool:
    """Whether a name is only asked whether it is there."""
    match parent:
        case ast.Compare(left=left, comparators=[ast.Constant(value=None)]):
            return left is node
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return test is node
    return isinstance(parent, ast.UnaryOp)


_GUARD = """\
try:
    import pedl
except ImportError:
    pedl = None


class Net:
    def width(self):
        return pedl.get_hyperparameter("width") if pedl is not None else 4
"""
_GUARD_AFTER = """\
class Net:
    def width(self):
        return self.context.get_hparam("width") if True is not None else 4
"""
_BRANCHES = """\
try:
    import pedl
except ImportError:
    pedl = None

if pedl is not None:
    from pedl.trial import get_trial_seed


class Net:
    def width(self):
        if not pedl or self.narrow:
            return 2
        return 4
"""
_BRANCHES_AFTER = """\
if True is not None:
    pass


class Net:
    def width(self):
        if not True or self.narrow:
            return 2
        return 4
"""
_FLAG = """\
try:
    import pedl

    HAS_PEDL = True
except ImportError:
    HAS_PEDL = False


def width():
    return 8 if HAS_PEDL else 4
"""
_FLAG_AFTER = """\
HAS_PEDL = True


def width():
    return 8 if HAS_PEDL else 4
"""
_OTHER = """\
try:
    import matplotlib
except ImportError:
    matplotlib = None


def has_plots():
    return matplotlib is not None
"""

CASES = (
    Case(pedl_trial(_GUARD), {"net.py": _GUARD_AFTER}),
    Case(pedl_trial(_BRANCHES), {"net.py": _BRANCHES_AFTER}),
    Case(pedl_trial(_FLAG), {"net.py": _FLAG_AFTER}),
    Case(pedl_trial(_OTHER), {"net.py": _OTHER}),
)
