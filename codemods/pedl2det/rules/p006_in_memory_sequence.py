"""An ``InMemorySequence`` becomes a tuple of its arrays.

Determined cuts a tuple into batches of the hyperparameter ``global_batch_size``, keeps the last
smaller batch, and uses no other settings. A sequence with a batch size of its own, one that drops
its last batch, or one that the code looks into keeps a class of the same name in
``legacy_keras.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

import pedl2det_names as names
from pedl2det.analysis.arguments import arguments_of
from pedl2det.analysis.arrays import is_array
from pedl2det.analysis.loaders import ARRAYS_PARAMETERS, is_plain_in_memory
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark, Replace
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import migrated_model, migrated_trial, pedl_trial, with_data

ID = "P006"
NAME = "in-memory-sequence"

_ANY_DATA = "determined.keras.InputData"
_NO_WEIGHTS = "sample_weight of an InMemorySequence was never used, and is not used now"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite every use of the class, and the annotations of what has become a tuple."""
    references = trial.uses(*names.IN_MEMORY_SEQUENCES)
    plain = [one.call for one in references if one.call and is_plain_in_memory(trial, one)]
    is_gone = all(one.is_in_annotation or one.call in plain for one in references)
    for reference in references:
        node, source = reference.node, reference.source
        assert isinstance(node, ast.expr)
        if reference.is_in_annotation and is_gone:
            yield _any_data(trial, node)
        elif reference.call in plain:
            yield _as_tuple(trial, reference, reference.call)
        else:
            edit = Replace(node, "legacy_keras.InMemorySequence")
            yield Fix(ID, source, node, (edit,), notes=_notes(_arguments(reference.call)))
    for name in _annotations_of(trial, plain) if plain else ():
        yield _any_data(trial, name)


def _arguments(call: ast.Call | None) -> dict[str, ast.expr]:
    return (arguments_of(call, ARRAYS_PARAMETERS) if call is not None else None) or {}


def _notes(given: dict[str, ast.expr]) -> tuple[tuple[Kind, str], ...]:
    weights = given.get("sample_weight")
    is_none = isinstance(weights, ast.Constant) and weights.value is None
    return () if weights is None or is_none else ((Kind.NOTE, _NO_WEIGHTS),)


def _as_tuple(trial: Trial, reference: Reference, call: ast.Call) -> Fix:
    given = _arguments(call)
    asarray = spell(reference.source, "numpy.asarray")
    holes = {name: given[name] for name in ("data", "labels")}
    unknown = [name for name, value in holes.items() if not is_array(trial, value)]
    parts = [f"{asarray.code}({{{one}}})" if one in unknown else f"{{{one}}}" for one in holes]
    edit = Replace(call, f"({', '.join(parts)})", holes)
    imports = asarray.imports if unknown else ()
    notes = _notes(given)
    return Fix(ID, reference.source, reference.node, (edit,), imports=imports, notes=notes)


# Annotations.


def _any_data(trial: Trial, node: ast.expr) -> Fix:
    """The type of whatever a loader may be, in the place of an old class in an annotation."""
    source = trial.modules.home(node)
    found = spell(source, _ANY_DATA)
    return Fix(ID, source, node, (Replace(node, found.code),), imports=found.imports)


def _annotations_of(trial: Trial, arrays: Sequence[ast.Call]) -> Iterator[ast.expr]:
    """``Sequence`` in the annotations of functions that return arrays now."""
    for source in trial.modules:
        for node in source.names.of(ast.FunctionDef, ast.AsyncFunctionDef):
            annotation, values = node.returns, trial.flow.returned(node)
            parts: list[tuple[ast.expr | None, tuple[int, ...]]] = [(annotation, ())]
            if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
                parts = [(one, (index,)) for index, one in enumerate(annotation.slice.elts)]
            for part, path in parts:
                origins = [one for value in values for one in trial.flow.origins(value, path)]
                holds_arrays = any(one.node in arrays and not one.path for one in origins)
                if part is not None and holds_arrays and _means_sequence(trial, part):
                    yield part


def _means_sequence(trial: Trial, node: ast.expr) -> bool:
    dotted = trial.modules.meaning(node) or ""
    return dotted.rpartition(".")[2] == "Sequence" and "keras" in dotted


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
