"""A loader of records becomes a tuple of its arrays.

PEDL cut the records of an ``ArrayBatchLoader`` into batches of the trial's ``batch_size()``, or of
the hyperparameter ``batch_size``; Determined cuts a tuple by the hyperparameter. Loaders of other
kinds and sizes keep classes of their names in ``legacy_keras.py``, and the trial's loader methods
cut them into batches.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.arguments import arguments_of
from pedl2det.analysis.arrays import is_array
from pedl2det.analysis.loaders import is_plain_record_loader
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case
from pedl2det.rules.loader_types import old_type, types_of_arrays

ID = "P024"
NAME = "record-loaders"

_PIECES = {
    f"pedl.data.{name}": name
    for name in ("ArrayBatchLoader", "Batch", "BatchLoader", "SliceBatchLoader")
}


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite every use of the classes."""
    references = trial.uses(*_PIECES)
    plain = [one for one in references if is_plain_record_loader(trial, one)]
    for reference in references:
        piece = _PIECES[reference.dotted]
        if reference.is_in_annotation:
            others = [one for one in references if one.call is not None and one not in plain]
            yield old_type(ID, reference, piece, is_gone=not others)
        elif reference in plain:
            yield _as_tuple(trial, reference)
        else:
            assert isinstance(reference.node, ast.expr)
            edit = Replace(reference.node, f"legacy_keras.{piece}")
            yield Fix(ID, reference.source, reference.node, (edit,))
    yield from types_of_arrays(ID, trial, [one.call for one in plain if one.call is not None])


def _as_tuple(trial: Trial, reference: Reference) -> Fix:
    source, call = reference.source, reference.call
    assert call is not None
    given = arguments_of(call, ("data", "labels")) or {}
    asarray = spell(source, "numpy.asarray")
    are_ready = {
        name: isinstance(value, ast.Dict) or is_array(trial, value) for name, value in given.items()
    }
    parts = [
        f"{{{name}}}" if are_ready[name] else f"{asarray.code}({{{name}}})"
        for name in ("data", "labels")
    ]
    edit = Replace(call, f"({', '.join(parts)})", given)
    imports = () if all(are_ready.values()) else asarray.imports
    return Fix(ID, source, reference.node, (edit,), imports=imports)


_TRIAL = """\
import keras
from pedl.frameworks.keras import KerasTrial


class Net(KerasTrial):
    def __init__(self, hparams):
        self.size = hparams["{key}"]

    def build_model(self, hparams):
        return keras.Sequential([keras.layers.Dense(1)])

    def optimizer(self):
        return keras.optimizers.SGD(0.1)

    def loss(self):
        return "mse"

    def batch_size(self):
        return self.size
"""
_DATA = """\
from pedl.data import ArrayBatchLoader, SliceBatchLoader
from rows import read


def make_data_loaders(experiment_config, hparams):
    x, y = read()
    return {returned}
"""
_ARRAYS = "ArrayBatchLoader(x, y), ArrayBatchLoader(x, y)"
_SLICES = "SliceBatchLoader(ArrayBatchLoader(x, y), 0, 8), ArrayBatchLoader(x, y)"


def _before(key: str, returned: str) -> dict[str, str]:
    return {"model_def.py": _TRIAL.format(key=key), "data.py": _DATA.format(returned=returned)}


CASES = (
    Case(
        _before("batch_size", _ARRAYS),
        {
            "data.py": """\
import numpy as np
from rows import read


def make_data_loaders():
    x, y = read()
    return (np.asarray(x), np.asarray(y)), (np.asarray(x), np.asarray(y))
"""
        },
    ),
    Case(  # batches of another size
        _before("size", _ARRAYS),
        {
            "data.py": """\
from rows import read

import legacy_keras


def make_data_loaders():
    x, y = read()
    return legacy_keras.ArrayBatchLoader(x, y), legacy_keras.ArrayBatchLoader(x, y)
"""
        },
        status="assumptions",
    ),
    Case(
        _before("batch_size", _SLICES),
        {
            "data.py": """\
import numpy as np
from rows import read

import legacy_keras


def make_data_loaders():
    x, y = read()
    return (
        legacy_keras.SliceBatchLoader(legacy_keras.ArrayBatchLoader(x, y), 0, 8),
        (np.asarray(x), np.asarray(y)),
    )
"""
        },
    ),
)
