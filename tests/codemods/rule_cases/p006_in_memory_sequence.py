"""Cases of P006."""

from __future__ import annotations

from rule_cases.cases import Case
from rule_cases.small_trials import migrated_model, migrated_trial, pedl_trial, with_data

_IMPORT = "from pedl.frameworks.keras.data import InMemorySequence\nfrom rows import read"
_LEGACY = "from rows import read\n\nimport legacy_keras"
_TYPED = "from typing import Tuple\n\nfrom tensorflow.keras.utils import Sequence\n"

CASES = (
    Case(  # the weights were never used
        pedl_trial(
            "x = np.ones((8, 1))\n"
            'size = hparams["batch_size"]\n'
            "train = InMemorySequence(x, x * 2, size, sample_weight=x)\n"
            "return train, InMemorySequence(x, x, size)\n",
            "import numpy as np\nfrom pedl.frameworks.keras.data import InMemorySequence",
        ),
        migrated_trial(
            "x = np.ones((8, 1))\n"
            "train = (np.asarray(x), np.asarray(x * 2))\n"
            "return train, (np.asarray(x), np.asarray(x))\n",
            "import numpy as np",
        )
        | {"model_def.py": migrated_model(more="legacy_keras.use_old_keras()\n")},
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
