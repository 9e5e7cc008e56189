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
from pedl2det.analysis.loaders import annotation_around, is_plain_record_loader
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.fixes import Fix, Form, Remark, Replace
from pedl2det.rules.cases import Case
from pedl2det.rules.loader_types import old_type, types_of_arrays

ID = "P034"
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
        if annotation_around(reference.source.names.parents, reference.node) is not None:
            others = [one for one in references if one.call is not None and one not in plain]
            yield old_type(ID, reference, piece, is_gone=not others)
        elif reference in plain:
            yield _as_tuple(trial, reference)
        else:
            assert isinstance(reference.node, ast.expr)
            edit = Replace(reference.node, f"legacy_keras.{piece}")
            yield Fix(
                ID,
                reference.source,
                reference.node,
                (edit,),
                support=(piece,),
                form=Form.FAITHFUL,
            )
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


CASES: tuple[Case, ...] = ()
