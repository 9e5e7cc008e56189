"""``MetricOp`` and ``ValidOp`` were names for ``Callable``.

A metric beside ``elementwise_mean`` was averaged over the batches, as Keras does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P023"
NAME = "metric-types"

_TYPES = ("pedl.trial.MetricOp", "pedl.trial.ValidOp")
_MEAN = "pedl.frameworks.util.elementwise_mean"
_CALLABLES = ("typing.Callable", "collections.abc.Callable")


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Replace the types, and take the reducers out."""
    for reference in trial.references:
        if reference.dotted in _TYPES:
            if isinstance(reference.node, ast.alias):
                yield from _in_texts(reference.source, reference.node)
            else:
                yield _type(reference)
        elif reference.dotted == _MEAN and not reference.is_import:
            yield _reducer(reference)


def _callable(source: Source) -> tuple[str, tuple[str, ...]]:
    """How a file says ``Callable``, and the import for it."""
    bound = source.names.module_bindings("Callable")
    if bound and all(one in _CALLABLES for one in bound):
        return "Callable", ()
    if bound:
        return "typing.Callable", ("import typing",)
    return "Callable", ("from typing import Callable",)


def _type(reference: Reference) -> Fix:
    node = reference.node
    assert isinstance(node, ast.expr)
    code, imports = _callable(reference.source)
    return Fix(ID, reference.source, node, (Replace(node, code),), imports=imports)


def _in_texts(source: Source, alias: ast.alias) -> Iterable[Fix]:
    """Annotations in quotes that name the type."""
    word = re.compile(rf"\b{alias.asname or alias.name}\b")
    code, imports = _callable(source)
    for node in source.names.of(ast.Constant):
        is_docstring = isinstance(source.names.parents.get(node), ast.Expr)
        if isinstance(node.value, str) and word.search(node.value) and not is_docstring:
            edit = Replace(node, repr(word.sub(code, node.value)))
            yield Fix(ID, source, node, (edit,), imports=imports)


def _reducer(reference: Reference) -> Fix:
    node, source = reference.node, reference.source
    assert isinstance(node, ast.expr)
    pair = source.names.parents.get(node)
    if isinstance(pair, ast.Tuple) and len(pair.elts) == 2 and pair.elts[1] is node:
        edit = Replace(pair, "{function}", {"function": pair.elts[0]})
        return Fix(ID, source, pair, (edit,))
    edit = Replace(node, "legacy_keras.elementwise_mean")
    return Fix(ID, source, node, (edit,))


def _case(before: str, after: str) -> Case:
    return Case(pedl_trial(before, "KerasTrial"), {"net.py": after})


CASES = (
    _case(
        "from typing import Dict\nfrom pedl.trial import MetricOp\n\n"
        "def f() -> Dict[str, MetricOp]:\n    return {}\n",
        "from typing import Callable, Dict\n\ndef f() -> Dict[str, Callable]:\n    return {}\n",
    ),
    _case(
        "from pedl.trial import ValidOp\n\n\ndef f() -> 'ValidOp':\n    return error\n",
        "from typing import Callable\n\n\ndef f() -> 'Callable':\n    return error\n",
    ),
    _case(
        "from pedl.frameworks.util import elementwise_mean\n\n\n"
        'def f():\n    return {"a": ("o", (error, elementwise_mean))}\n',
        'def f():\n    return {"a": ("o", error)}\n',
    ),
    _case(
        "from pedl.frameworks.util import elementwise_mean\n\n\n"
        "def f(values):\n    return elementwise_mean(values)\n",
        "import legacy_keras\n\n\n"
        "def f(values):\n    return legacy_keras.elementwise_mean(values)\n",
    ),
    _case("from shop import MetricOp\nx = MetricOp\n", "from shop import MetricOp\nx = MetricOp\n"),
)
