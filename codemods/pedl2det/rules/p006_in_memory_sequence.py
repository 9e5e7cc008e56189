"""An ``InMemorySequence`` becomes a tuple of its arrays.

Determined cuts a tuple into batches of the hyperparameter ``global_batch_size``, keeps the last
smaller batch, and uses no other settings. A sequence with a batch size of its own, one that drops
its last batch, or one that the code looks into keeps a class of the same name in
``legacy_keras.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

import pedl2det_names as names
from pedl2det.analysis.arguments import arguments_of
from pedl2det.analysis.arrays import is_array
from pedl2det.analysis.loaders import ARRAYS_PARAMETERS, is_plain_in_memory
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case
from pedl2det.rules.loader_types import old_type, types_of_arrays
from pedl2det.rules.small_trials import migrated_model, migrated_trial, pedl_trial, with_data

ID = "P006"
NAME = "in-memory-sequence"

_NO_WEIGHTS = "sample_weight of an InMemorySequence was never used, and is left out"
_NO_WEIGHTS_KEPT = "sample_weight of an InMemorySequence was never used, and is not used now"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite every use of the class."""
    references = trial.uses(*names.IN_MEMORY_SEQUENCES)
    types = [one for one in references if one.is_in_annotation]
    plain = [one for one in references if is_plain_in_memory(trial, one)]
    is_gone = len(types) + len(plain) == len(references)
    for reference in references:
        if reference in types:
            yield old_type(ID, reference, "InMemorySequence", is_gone)
        elif reference in plain:
            yield _as_tuple(trial, reference)
        else:
            yield _kept(reference)
    yield from types_of_arrays(ID, trial, [one.call for one in plain if one.call is not None])


def _as_tuple(trial: Trial, reference: Reference) -> Fix:
    source, call = reference.source, reference.call
    assert call is not None
    given = arguments_of(call, ARRAYS_PARAMETERS) or {}
    pair = given["data"], given["labels"]
    asarray = spell(source, "numpy.asarray")
    are_arrays = [is_array(trial, one) for one in pair]
    parts = [
        hole if is_known else f"{asarray.code}({hole})"
        for is_known, hole in zip(are_arrays, ("{data}", "{labels}"), strict=True)
    ]
    weights = given.get("sample_weight")
    is_weighted = weights is not None and not _is_none(weights)
    holes = {"data": pair[0], "labels": pair[1]}
    edit = Replace(call, f"({', '.join(parts)})", holes)
    return Fix(
        ID,
        source,
        reference.node,
        (edit,),
        imports=() if all(are_arrays) else asarray.imports,
        notes=((Kind.NOTE, _NO_WEIGHTS),) if is_weighted else (),
    )


def _kept(reference: Reference) -> Fix:
    """The class of the same name in ``legacy_keras``, which works wherever the old one did."""
    call = reference.call
    given = arguments_of(call, ARRAYS_PARAMETERS) if call is not None else None
    weights = (given or {}).get("sample_weight")
    return Fix(
        ID,
        reference.source,
        reference.node,
        (Replace(_expression(reference), "legacy_keras.InMemorySequence"),),
        notes=((Kind.NOTE, _NO_WEIGHTS_KEPT),) if weights and not _is_none(weights) else (),
    )


def _expression(reference: Reference) -> ast.expr:
    assert isinstance(reference.node, ast.expr)
    return reference.node


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


_IMPORT = "from pedl.frameworks.keras.data import InMemorySequence\nfrom rows import read"
_LEGACY = "from rows import read\n\nimport legacy_keras"
_NUMPY = "import numpy as np\nfrom rows import read"
_TYPED = "from typing import Tuple\n\nfrom tensorflow.keras.utils import Sequence\n"

CASES = (
    Case(
        pedl_trial(
            "x, y = read()\n"
            'train = InMemorySequence(data=x, labels=y, batch_size=hparams["batch_size"])\n'
            'return train, InMemorySequence(x, y, hparams["batch_size"])\n',
            _IMPORT,
        ),
        migrated_trial(
            "x, y = read()\n"
            "train = (np.asarray(x), np.asarray(y))\n"
            "return train, (np.asarray(x), np.asarray(y))\n",
            _NUMPY,
            parameters="",
        ),
    ),
    Case(  # what is known to be an array stays as it is; the weights were never used
        pedl_trial(
            "x = np.ones((8, 1))\n"
            'size = hparams["batch_size"]\n'
            "train = InMemorySequence(x, x * 2, size, sample_weight=x)\n"
            "return train, InMemorySequence(x, x, size)\n",
            "import numpy as np\nfrom pedl.frameworks.keras.data import InMemorySequence",
        ),
        migrated_trial(
            "x = np.ones((8, 1))\ntrain = (x, x * 2)\nreturn train, (x, x)\n", "import numpy as np"
        ),
        says="sample_weight of an InMemorySequence was never used",
    ),
    Case(  # a batch size of its own
        pedl_trial(
            "x, y = read()\ntrain = InMemorySequence(x, y, 32)\nreturn train, train\n", _IMPORT
        ),
        migrated_trial(
            "x, y = read()\ntrain = legacy_keras.InMemorySequence(x, y, 32)\nreturn train, train\n",
            _LEGACY,
            parameters="",
        ),
    ),
    Case(  # more is done with it than to return it
        pedl_trial(
            "x, y = read()\n"
            'train = InMemorySequence(x, y, hparams["batch_size"])\n'
            "print(len(train))\n"
            "return train, train\n",
            _IMPORT,
        ),
        migrated_trial(
            "x, y = read()\n"
            "train = legacy_keras.InMemorySequence(x, y, context.get_per_slot_batch_size())\n"
            "print(len(train))\n"
            "return train, train\n",
            _LEGACY,
        ),
    ),
    Case(  # the annotation follows
        with_data(
            f"{_TYPED}{_IMPORT}\n\n\n"
            "def make_data_loaders(experiment_config, hparams) -> Tuple[Sequence, Sequence]:\n"
            "    x, y = read()\n"
            '    return InMemorySequence(x, y, hparams["batch_size"]), Rows(x)\n\n\n'
            "class Rows(Sequence):\n"
            "    pass\n"
        ),
        {
            "data.py": "from typing import Tuple\n\n"
            "import numpy as np\n"
            "from tensorflow.keras.utils import Sequence\n"
            "from determined.keras import InputData\n"
            "from rows import read\n\n\n"
            "def make_data_loaders() -> Tuple[InputData, Sequence]:\n"
            "    x, y = read()\n"
            "    return (np.asarray(x), np.asarray(y)), Rows(x)\n\n\n"
            "class Rows(Sequence):\n"
            "    pass\n",
            "model_def.py": migrated_model(""),
        },
    ),
)
