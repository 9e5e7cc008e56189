"""Cases of P021."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial


def _case(before: str, after: str, says: str = "") -> Case:
    return Case(pedl_trial(before), {"net.py": after}, says)


_TF = "from tensorflow.keras import layers\n"
_CELLS = """\
from tensorflow.keras.layers import GRU, LSTM

CELLS = {"gru": GRU, "lstm": LSTM}


def recurrent(kind, units):
    return CELLS[kind](units)
"""

CASES = (
    _case(
        _TF + "x = layers.GRU(4, reset_after=True)\n",
        _TF + 'x = layers.GRU(4, reset_after=True, recurrent_activation="hard_sigmoid")\n',
    ),
    _case(
        "from keras.layers import LSTM\nx = LSTM(4, 'relu', 'sigmoid'), LSTM(2)\n",
        "from tensorflow.keras.layers import LSTM\n"
        "x = LSTM(4, 'relu', 'sigmoid'), LSTM(2, recurrent_activation=\"hard_sigmoid\")\n",
    ),
    _case(
        _CELLS,
        "import legacy_keras\n\n"
        + _CELLS.replace("from tensorflow.keras.layers import GRU, LSTM\n\n", "").replace(
            'GRU, "lstm": LSTM', 'legacy_keras.GRU, "lstm": legacy_keras.LSTM'
        ),
        "GRU had recurrent_activation",
    ),
    _case(
        _TF + "def make(options):\n    return layers.LSTM(4, **options)\n",
        "import legacy_keras\n\n\ndef make(options):\n    return legacy_keras.LSTM(4, **options)\n",
        "legacy_keras.LSTM has these defaults",
    ),
    _case(
        _TF + "def make(kind):\n    return getattr(layers, kind)(4)\n",
        "import legacy_keras\n\n\ndef make(kind):\n    return legacy_keras.layer_class(kind)(4)\n",
    ),
    _case(
        _TF + "def is_recurrent(x):\n    return isinstance(x, layers.LSTM)\n",
        _TF + "def is_recurrent(x):\n    return isinstance(x, layers.LSTM)\n",
    ),
)
