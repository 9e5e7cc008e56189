"""Cases of P036."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial


def _case(before: str, after: str) -> Case:
    return Case(pedl_trial(before), {"net.py": after})


_TF = "import tensorflow as tf\n"

CASES = (
    _case(
        "import sys\nON_CLUSTER = 'pedl' in sys.modules\n",
        'import sys\nON_CLUSTER = "determined" in sys.modules\n',
    ),
    _case(f"{_TF}x = tf.zeros(3)\n", f"{_TF}x = tf.zeros(3)\n"),
    _case(
        f"{_TF}\nkeras = tf.keras\nONE = getattr(keras.losses, NAME)\n",
        f"{_TF}\nimport legacy_keras\n\nkeras = tf.keras\n"
        "ONE = getattr(legacy_keras.old_module(keras.losses), NAME)\n",
    ),
    _case(
        f"{_TF}\nkeras = tf.keras\nALL = vars(keras)\n",
        f"{_TF}\nimport legacy_keras\n\nkeras = tf.keras\n"
        "ALL = vars(legacy_keras.old_module(keras))\n",
    ),
    _case(
        "from tensorflow.keras import layers\n\nCELL = layers.__dict__[NAME]\n",
        "from tensorflow.keras import layers\n\nimport legacy_keras\n\n"
        "CELL = legacy_keras.old_module(layers).__dict__[NAME]\n",
    ),
    _case(
        "import keras\n\nLOSS = getattr(keras.losses, NAME)\n",
        "from tensorflow import keras\n\nimport legacy_keras\n\n"
        "LOSS = getattr(legacy_keras.old_module(keras.losses, is_standalone=True), NAME)\n",
    ),
    _case(
        "from keras import optimizers\n\nALL = vars(optimizers)\nONE = getattr(optimizers, NAME)\n",
        "from tensorflow.keras import optimizers\n\nimport legacy_keras\n\n"
        "ALL = vars(legacy_keras.old_module(optimizers, is_standalone=True))\n"
        "ONE = getattr(legacy_keras.old_module(optimizers, is_standalone=True), NAME)\n",
    ),
    _case(
        f'{_TF}IS_OLD = hasattr(tf, "ConfigProto")\n',
        f"{_TF}\nimport legacy_keras\n\n"
        'IS_OLD = hasattr(legacy_keras.old_module(tf), "ConfigProto")\n',
    ),
)
