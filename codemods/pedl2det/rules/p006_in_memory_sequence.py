"""An ``InMemorySequence`` becomes a tuple of its arrays.

Determined cuts a tuple into batches of the hyperparameter ``global_batch_size``, keeps the last
smaller batch, and uses no other settings. A sequence with a batch size of its own, one that drops
its last batch, or one that the code looks into keeps a class of the same name in
``legacy_keras.py``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

import pedl2det_names as names
from pedl2det.analysis.flow.values import arguments_of
from pedl2det.analysis.loaders import ARRAYS_PARAMETERS, is_plain_in_memory
from pedl2det.analysis.old_keras import respelled
from pedl2det.analysis.source import spell
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark, rewrite

#: The type of anything that may be a loader.
_ANY_DATA = "determined.keras.InputData"
_NO_WEIGHTS = "sample_weight of an InMemorySequence was never used, and is not used now"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite every use of the class, and annotations of what becomes a tuple."""
    references = trial.uses(*names.harness.IN_MEMORY_SEQUENCES)
    plain = [use.call for use in references if use.call and is_plain_in_memory(trial, use)]
    is_gone = all(use.is_in_annotation or use.call in plain for use in references)
    for reference in references:
        node = reference.node
        assert isinstance(node, ast.expr)
        if reference.is_in_annotation and is_gone:
            yield from respelled(trial.modules.home(node), node, _ANY_DATA)
        elif reference.call in plain:
            yield _as_tuple(reference, reference.call)
        else:
            yield rewrite(
                node, "legacy_keras.InMemorySequence", notes=_notes(_arguments(reference.call))
            )
    for name in _annotations_of(trial, plain) if plain else ():
        yield from respelled(trial.modules.home(name), name, _ANY_DATA)


def _arguments(call: ast.Call | None) -> dict[str, ast.expr]:
    return (arguments_of(call, ARRAYS_PARAMETERS) if call is not None else None) or {}


def _notes(given: dict[str, ast.expr]) -> tuple[tuple[Kind, str], ...]:
    weights = given.get("sample_weight")
    is_none = isinstance(weights, ast.Constant) and weights.value is None
    return () if weights is None or is_none else ((Kind.NOTE, _NO_WEIGHTS),)


def _as_tuple(reference: Reference, call: ast.Call) -> Fix:
    arguments = _arguments(call)
    asarray = spell(reference.source, "numpy.asarray")
    holes = {name: arguments[name] for name in ("data", "labels")}
    code = f"({asarray.code}({{data}}), {asarray.code}({{labels}}))"
    return rewrite(call, code, holes, imports=asarray.imports, notes=_notes(arguments))


def _annotations_of(trial: Trial, arrays: Sequence[ast.Call]) -> Iterator[ast.expr]:
    """``Sequence`` in the annotations of functions that return arrays now."""
    for source in trial.modules:
        for node in source.names.of(ast.FunctionDef, ast.AsyncFunctionDef):
            annotation, values = node.returns, trial.flow.returned(node)
            parts: list[tuple[ast.expr | None, tuple[int, ...]]] = [(annotation, ())]
            if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
                parts = [(element, (index,)) for index, element in enumerate(annotation.slice.elts)]
            for part, path in parts:
                origins = [origin for value in values for origin in trial.flow.origins(value, path)]
                holds_arrays = any(origin.node in arrays and not origin.path for origin in origins)
                meaning = trial.modules.meaning(part) if part is not None and holds_arrays else ""
                if part is not None and re.search(r"\bkeras\b.*\.Sequence$", meaning or ""):
                    yield part


EXAMPLE = """\
--- data.py
- from pedl.frameworks.keras.data import InMemorySequence
+ import numpy as np
  from rows import read


- def make_data_loaders(experiment_config, hparams):
+ def make_data_loaders():
      x, y = read()
-     train = InMemorySequence(data=x, labels=y, batch_size=hparams["batch_size"])
-     return train, InMemorySequence(x, y, hparams["batch_size"])
+     train = (np.asarray(x), np.asarray(y))
+     return train, (np.asarray(x), np.asarray(y))
"""
