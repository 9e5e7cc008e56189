"""Methods of pandas and h5py that are gone, and frequencies with another spelling today.

``frame.iteritems()`` becomes ``frame.items()``. For what has no such successor, such as
``frame.ix``, ``frame.append`` and ``dataset.value``, ``legacy_keras.restore_methods()`` above the
first use gives it back to the classes; a class that still has the method keeps its own.

The frequencies ``H T S L U N`` become lower-case ones that every pandas reads. For others, such as
``M`` for the end of a month, ``legacy_keras.frequency`` returns the spelling of the installed
pandas.

``np.vstack`` and the like, and ``random.sample``, took iterators and sets: now they get a list.
``random.shuffle(x, function)`` becomes ``legacy_keras.shuffle(x, function)``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Set

from pedl2det.analysis import old_keras
from pedl2det.analysis.flow.values import Origin, argument
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite
from pedl2det_names import Age
from pedl2det_names.libraries import FREQUENCIES, METHODS, SEQUENCES

#: Old aliases of frequencies: those with a spelling that every pandas reads, and all others.
SMALL = {"H": "h", "T": "min", "S": "s", "L": "ms", "U": "us", "N": "ns"}
OTHERS = ("A", "BH", "BM", "BQ", "CBH", "M", "Q", "SM", "Y")
#: Calls that return an iterator or a set.
_ITERATORS = re.compile(
    r"(?:filter|frozenset|iter|map|set|zip)\(.*|.*\.(?:items|keys|values)\(\)|.*\.i?map\(.*"
)
_RESTORE = "legacy_keras.restore_methods()"


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite or restore old methods by their names, except those that the project defines."""
    if old_keras.age(trial) is Age.CURRENT:
        return
    members = [member for kind in trial.modules.of(ast.ClassDef) for member in kind.body]
    own = {member.name for member in members if isinstance(member, ast.FunctionDef)}
    uses_pandas = any("pandas" in source.text for source in trial.modules)
    for source in trial.modules:
        restored = []
        for node in source.names.of(ast.Attribute):
            if not (trial.modules.meaning(node.value) or "pandas.").startswith("pandas."):
                continue
            if METHODS.get(node.attr) and node.attr not in own:
                yield rewrite(node, f"{{frame}}.{METHODS[node.attr]}", {"frame": node.value})
            elif node.attr in METHODS or _is_shared(trial, source, node):
                restored.append(node)
        if restored:
            yield from old_keras.before_use(source, restored[0], _RESTORE)
        for call in source.names.of(ast.Call):
            if uses_pandas:
                yield from _with_frequency(call, own)
            dotted = trial.modules.meaning(call.func) or ""
            if dotted == "random.shuffle" and len(call.args) + len(call.keywords) > 1:
                yield rewrite(call.func, "legacy_keras.shuffle")
            for values in call.args[:1] if dotted in SEQUENCES else ():
                is_list = isinstance(values, ast.List | ast.ListComp | ast.Tuple)
                may_be_none = trial.is_unseen(call) and not is_list
                origins = trial.flow.origins(values)
                if may_be_none or any(_is_no_sequence(trial, origin) for origin in origins):
                    yield rewrite(values, "[*{values}]", {"values": values})


def _is_no_sequence(trial: Trial, origin: Origin) -> bool:
    """Whether a value is an iterator or a set."""
    called = trial.flow.called(origin.node) if isinstance(origin.node, ast.Call) else []
    if any(isinstance(part, ast.Yield) for function in called for part in ast.walk(function)):
        return True
    is_written = isinstance(origin.node, ast.GeneratorExp | ast.Set | ast.SetComp)
    is_called = _ITERATORS.fullmatch(ast.unparse(origin.node)) is not None
    return not origin.path and (is_written or is_called)


def _is_shared(trial: Trial, source: Source, node: ast.Attribute) -> bool:
    """Whether a name that other objects also have may be that of a frame or a dataset."""
    if node.attr == "value":
        return any("h5py" in module.text for module in trial.modules)
    match source.names.parents[node]:
        case ast.Call(func=func, keywords=keywords) as call if func is node:
            is_used = not isinstance(source.names.parents[call], ast.Expr)
            return node.attr == "append" and (is_used or bool(keywords))  # a list's returns nothing
    return False


def _with_frequency(call: ast.Call, own: Set[str]) -> Iterable[Fix]:
    """Spell the frequency that a call passes to pandas as the installed one reads it."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name not in FREQUENCIES or name in own:
        return
    parameter, place = FREQUENCIES[name]
    match argument(call, parameter, place):
        case ast.Constant(value=str(text)) as node:
            parts = re.fullmatch(r"(\d*)([A-Z]+)(-[A-Z]+)?", text)
            if parts is not None and parts[2] in SMALL:
                yield rewrite(node, f'"{parts[1]}{SMALL[parts[2]]}"')
            elif parts is not None and parts[2] in OTHERS:
                yield rewrite(node, "legacy_keras.frequency({freq})", {"freq": node})


EXAMPLE = """\
--- net.py
  import pandas as pd
+
+ import legacy_keras
+
+ legacy_keras.restore_methods()


  def hourly(frame):
-     frame = frame.append(frame.iloc[-1:]).resample("H").mean()
+     frame = frame.append(frame.iloc[-1:]).resample("h").mean()
-     return {name: column for name, column in frame.iteritems()}
+     return {name: column for name, column in frame.items()}
"""
