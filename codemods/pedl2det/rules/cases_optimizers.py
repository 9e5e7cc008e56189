"""The cases of P009."""

from __future__ import annotations

from pedl2det.rules.cases import Case, pedl_trial


def _case(before: str, after: str, says: str = "") -> Case:
    return Case(pedl_trial(before), {"net.py": after}, says)


CASES = (
    _case(
        """\
from tensorflow.keras.optimizers import RMSprop

def optimizer(rate):
    return RMSprop(lr=rate, decay=1e-6)
""",
        """\
from tensorflow.keras.optimizers.legacy import RMSprop

def optimizer(rate):
    return RMSprop(learning_rate=rate, decay=1e-6)
""",
    ),
    _case(
        "import tensorflow as tf\nopt = tf.keras.optimizers.SGD(0.1)\n",
        "import tensorflow as tf\nopt = tf.keras.optimizers.legacy.SGD(0.1)\n",
    ),
    _case(
        "from tensorflow.keras.optimizers import Adam, schedules  # both\nopt = Adam()\n",
        "from tensorflow.keras.optimizers.legacy import Adam\n"
        "from tensorflow.keras.optimizers import schedules  # both\nopt = Adam()\n",
    ),
    _case(
        "from keras.optimizers import SGD, Adadelta\n"
        "a = SGD(0.1, 0.9, 1e-6)\nb = Adadelta()\nc = Adadelta(clipnorm=1.0, lr=0.5)\n",
        "from tensorflow.keras.optimizers.legacy import SGD, Adadelta\n"
        "a = SGD(0.1, momentum=0.9, decay=1e-6)\nb = Adadelta(learning_rate=1.0)\n"
        "c = Adadelta(global_clipnorm=1.0, learning_rate=0.5)\n",
    ),
    _case(
        "from tensorflow.keras.optimizers import SGD, Adam\n"
        'KINDS = {"adam": Adam, "sgd": SGD}\n\n'
        "def optimizer(name, rate):\n    return KINDS[name](lr=rate)\n",
        "from tensorflow.keras.optimizers.legacy import SGD, Adam\n"
        'KINDS = {"adam": Adam, "sgd": SGD}\n\n'
        "def optimizer(name, rate):\n    return KINDS[name](learning_rate=rate)\n",
    ),
    _case(
        "from keras import optimizers\n"
        'KINDS = {"nadam": optimizers.Nadam}\n\n'
        "def optimizer(name):\n    return KINDS[name]()\n",
        "import legacy_keras\n\n"
        'KINDS = {"nadam": legacy_keras.Nadam}\n\n'
        "def optimizer(name):\n    return KINDS[name]()\n",
    ),
    _case(
        "from tensorflow.keras import optimizers\n"
        "def optimizer(name):\n    return getattr(optimizers, name)(0.1)\n",
        "from tensorflow.keras import optimizers\n"
        "def optimizer(name):\n    return getattr(optimizers.legacy, name)(0.1)\n",
    ),
    _case(
        "from tensorflow.keras import optimizers\n"
        "def optimizer(name):\n    return optimizers.get(name)\n",
        "from tensorflow.keras import optimizers\n"
        "def optimizer(name):\n    return optimizers.get(name, use_legacy_optimizer=True)\n",
    ),
    _case(
        "import tensorflow as tf\n\nclass Slow(tf.keras.optimizers.Optimizer):\n    pass\n",
        "import tensorflow as tf\n\nclass Slow(tf.keras.optimizers.legacy.Optimizer):\n    pass\n",
    ),
    _case(
        "import tensorflow as tf\nopt = tf.train.AdamOptimizer(0.1, 0.8)\n",
        "import tensorflow as tf\n"
        "opt = tf.keras.optimizers.legacy.Adam(0.1, beta_1=0.8, epsilon=1e-08)\n",
    ),
    _case(
        "from keras.optimizers import *\nopt = SGD(lr=0.1)\n",
        "from tensorflow.keras.optimizers.legacy import SGD\nopt = SGD(learning_rate=0.1)\n",
    ),
    _case(
        "try:\n    from tensorflow.keras.optimizers.legacy import Adam\n"
        "except ImportError:\n    from tensorflow.keras.optimizers import Adam\n\nopt = Adam()\n",
        "try:\n    from tensorflow.keras.optimizers.legacy import Adam\n"
        "except ImportError:\n    from tensorflow.keras.optimizers import Adam\n\nopt = Adam()\n",
    ),
    _case(
        "from shop import Adam\nopt = Adam(lr=0.1)\n", "from shop import Adam\nopt = Adam(lr=0.1)\n"
    ),
    Case(
        pedl_trial("from keras.optimizers import Adam\nopt = Adam(clipnorm=1.0, clipvalue=0.5)\n"),
        {},
        "clipped by the norm first",
        "begun",
    ),
)
