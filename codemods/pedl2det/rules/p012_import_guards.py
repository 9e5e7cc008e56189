"""``try: import pedl`` is no question any more: the guard goes, and its tests with it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import pedl2det_names as names
from pedl2det.analysis.scopes import imported_as
from pedl2det.analysis.source import Source
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
        is_module = reference.dotted in ("pedl", "pedl.frameworks", "pedl.frameworks.keras")
        if is_module and isinstance(reference.node, ast.Name):
            edit = _answer(reference.source, reference.node)
            if edit is not None:
                yield Fix(ID, reference.source, edit.node, (edit,))


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


def _answer(source: Source, node: ast.Name) -> Replace | None:
    """What a test whether the module is there becomes, since it always was."""
    test: ast.expr = node
    answer = True
    match source.names.parents[node]:
        case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=None)]) as whole:
            if left is node:
                test, answer = whole, isinstance(op, ast.IsNot | ast.NotEq)
    while True:
        match source.names.parents[test]:
            case ast.UnaryOp(op=ast.Not()) as around:
                test, answer = around, not answer
            case ast.BoolOp(op=both, values=values) as around:
                if isinstance(both, ast.And) is answer:
                    others = {f"test{at}": one for at, one in enumerate(values) if one is not test}
                    word = " and " if answer else " or "
                    return Replace(around, word.join(f"{{{one}}}" for one in others), others)
                if values[0] is not test:
                    return Replace(test, str(answer))
                test = around
            case ast.IfExp(test=one) as around if one is test:
                kept = around.body if answer else around.orelse
                return Replace(around, "{kept}", {"kept": kept})
            case ast.If() | ast.While() | ast.Assert():
                return Replace(test, str(answer))
            case _:
                return Replace(test, str(answer)) if test is not node else None


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
        return self.context.get_hparam("width")
"""
_BRANCHES = """\
try:
    import pedl
except ImportError:
    pedl = None

if pedl is not None:
    from pedl.trial import get_trial_seed


class Net:
    def seed(self):
        # the same for all
        if pedl is not None:
            return get_trial_seed()
        return 0

    def width(self):
        if not pedl:
            width = 2
        elif pedl is not None and self.wide:
            width = 8
        else:
            width = 4
        if self.deep:
            width += 1
        elif pedl is None:
            width += 2
        if pedl is None:
            print("no harness")
        return width
"""
_BRANCHES_AFTER = """\
class Net:
    def seed(self):
        # the same for all
        return self.context.get_trial_seed()

    def width(self):
        if self.wide:
            width = 8
        else:
            width = 4
        if self.deep:
            width += 1
        return width
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
