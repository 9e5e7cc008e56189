"""The batch size of a script, which its config does not say and that of a trial must.

Arrays were cut by the ``batch_size`` of ``fit``, into 32 records where it said none. A Sequence
cuts itself; then the number says only how many records a batch has.
"""

from __future__ import annotations

import ast
from typing import Literal

from pedl2det.findings import Unclear
from pedl2det.script.data import is_sequence, meaning
from pedl2det.script.fit_call import FitCall
from pedl2det.script.parts import Parts

_KERAS_BATCH = 32

#: The script takes it from the hyperparameter ``batch_size``.
Hyperparameter = Literal["hyperparameter"]


def batch_size(parts: Parts, fit: FitCall) -> int | Hyperparameter:
    """Records in a batch.

    Raises:
        Unclear: it is computed.
    """
    iterators = [is_sequence(parts, data) for data in (fit.training[0], fit.validation)]
    training, validation = iterators
    if training is not None and validation is not None and not fit.is_cut:
        given = [keyword.value for keyword in training.keywords if keyword.arg == "batch_size"]
        return _number(parts, given[0]) if given else _KERAS_BATCH
    return _number(parts, fit.batch_size) if fit.batch_size is not None else _KERAS_BATCH


def _number(parts: Parts, value: ast.expr) -> int | Hyperparameter:
    match meaning(parts, value):
        case ast.Constant(value=int(number)) if not isinstance(number, bool) and number > 0:
            return number
        case ast.Call(func=func, args=[ast.Constant(value="batch_size")]) if (
            parts.source.names.qualified(func) == "pedl.get_hyperparameter"
        ):
            return "hyperparameter"
    message = (
        f"{parts.source.segment(value)}: the batch size is computed: write it as a number, or give "
        "the config global_batch_size and ask the context for it"
    )
    raise Unclear(value, message)
