"""Cases of P009."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial


def _case(before: str, after: str) -> Case:
    return Case(pedl_trial(before), {"net.py": after})


_KINDS = """\
from tensorflow.keras.optimizers import SGD, Adam, schedules  # both
KINDS = {"adam": Adam, "sgd": SGD}

def optimizer(name, rate):
    return KINDS[name](lr=rate)
"""
_GUARDED = """\
try:
    from tensorflow.keras.optimizers.legacy import Adam
except ImportError:
    from tensorflow.keras.optimizers import Adam

opt = Adam()
"""
_TRIED = """\
try:
    from keras.layers import Dense
    from keras.optimizers import Adagrad
except ImportError:
    from tensorflow.keras.layers import Dense
    from tensorflow.keras.optimizers import Adagrad

last, opt = Dense(1), Adagrad(lr=0.1)
"""
_TRIED_AFTER = """\
import legacy_keras

legacy_keras.use_standalone_keras()
try:
    from tensorflow.keras.layers import Dense
    from tensorflow.keras.optimizers.legacy import Adagrad
except ImportError:
    from tensorflow.keras.layers import Dense

last, opt = Dense(1), Adagrad(learning_rate=0.1, initial_accumulator_value=0.0)
"""
_EITHER = """\
import os

if "OWN" in os.environ:
    from keras.optimizers import Adagrad
else:
    from tensorflow.keras.optimizers import Adagrad

opt = Adagrad(lr=0.1)
"""
_EITHER_AFTER = """\
import os

import legacy_keras

if "OWN" in os.environ:
    Adagrad = legacy_keras.Adagrad
else:
    from tensorflow.keras.optimizers.legacy import Adagrad

opt = Adagrad(lr=0.1)
"""
_CLIPPED = """\
from keras.optimizers import SGD, Adam


def optimizer(limit):
    return SGD(lr=0.1, clipnorm=limit), SGD(lr=0.1, clipnorm=1.0)


def is_adaptive(optimizer):
    return isinstance(optimizer, (Adam, SGD))
"""
_CLIPPED_AFTER = """\
from tensorflow.keras.optimizers.legacy import SGD, Adam

import legacy_keras


def optimizer(limit):
    return (
        legacy_keras.SGD(lr=0.1, clipnorm=limit),
        SGD(learning_rate=0.1, global_clipnorm=1.0),
    )


def is_adaptive(optimizer):
    return isinstance(optimizer, (Adam, SGD))
"""
_OWN = "from shop import Adam\nopt = Adam(lr=0.1)\n"

_OF_STANDALONE = """\
from keras.optimizers import Optimizer


class Slow(Optimizer):
    def get_updates(self, loss, params):
        return []


def check(optimizer):
    return isinstance(optimizer, Optimizer)
"""
_OF_STANDALONE_AFTER = """\
from tensorflow.keras.optimizers.legacy import Optimizer

import legacy_keras


class Slow(legacy_keras.KerasOptimizer):
    def get_updates(self, loss, params):
        return []


def check(optimizer):
    return isinstance(optimizer, Optimizer)
"""

_CONTEXT = """\
import tensorflow as tf
from determined.keras import TFKerasTrial


class Log(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs):
        logs.update(lr=dict(logs, lr=epoch))


class Trial(TFKerasTrial):
    def __init__(self, context):
        self.context = context

    def build_model(self):
        model = self.context.wrap_model(tf.keras.Sequential([tf.keras.layers.Dense(1)]))
        optimizer = {optimizer}
        model.compile(self.context.wrap_optimizer(optimizer), "mse")
        return model

    def build_training_data_loader(self):
        return self.context.wrap_dataset(load())

    build_validation_data_loader = build_training_data_loader
"""


def _context(optimizer: str, after: str, says: str = "") -> Case:
    """A context-based trial that reports a learning rate."""
    texts = (_CONTEXT.format(optimizer=one) for one in (optimizer, after))
    before, new = ({"model_def.py": text} for text in texts)
    return Case({**before, "const.yaml": "entrypoint: model_def:Trial\n"}, new, says)


_BY_TEXT = "opt = globals()['SGD'](lr=0.1)\n"
CASES = (
    _case(_EITHER, _EITHER_AFTER),
    _case(
        "from keras.optimizers import SGD\nopt, values = SGD(lr=0.1), vars(opt)\n",
        "from tensorflow.keras.optimizers.legacy import SGD\n"
        "opt, values = SGD(learning_rate=0.1), vars(opt)\n",
    ),
    _case(_CLIPPED, _CLIPPED_AFTER),
    _case(_TRIED, _TRIED_AFTER),  # `run` serves standalone Keras
    _case(_OF_STANDALONE, _OF_STANDALONE_AFTER),
    _case(
        "import tensorflow as tf\nopt = tf.train.AdamOptimizer(0.1, 0.8)\n\n"
        "class Slow(tf.keras.optimizers.Optimizer):\n    pass\n",
        "import tensorflow as tf\n"
        "opt = tf.keras.optimizers.legacy.Adam(0.1, beta_1=0.8, epsilon=1e-08)\n\n"
        "class Slow(tf.keras.optimizers.legacy.Optimizer):\n    pass\n",
    ),
    _case(  # other defaults
        "from keras.optimizers import SGD, Adadelta\n"
        "a = SGD(0.1, 0.9, 1e-6)\nb = Adadelta()\nc = Adadelta(clipnorm=1.0, lr=0.5)\n",
        "from tensorflow.keras.optimizers.legacy import SGD, Adadelta\n"
        "a = SGD(0.1, momentum=0.9, decay=1e-6)\nb = Adadelta(learning_rate=1.0)\n"
        "c = Adadelta(global_clipnorm=1.0, learning_rate=0.5)\n",
    ),
    _case(
        _KINDS,
        _KINDS.replace("lr=", "learning_rate=").replace(
            "SGD, Adam, schedules  # both",
            "schedules  # both\nfrom tensorflow.keras.optimizers.legacy import Adam, SGD",
        ),
    ),
    _case(  # a name that is computed
        "from tensorflow.keras import optimizers\n"
        "def optimizer(name):\n    return getattr(optimizers, name)(0.1)\n",
        "from tensorflow.keras import optimizers\n"
        "def optimizer(name):\n    return getattr(optimizers.legacy, name)(0.1)\n",
    ),
    _case(
        "from keras import optimizers\nKINDS = {1: optimizers.Nadam}\n"
        "def optimizer(name):\n    return optimizers.get(name) or KINDS[name]()\n",
        "import legacy_keras\n\nKINDS = {1: legacy_keras.Nadam}\n"
        "def optimizer(name):\n"
        "    return legacy_keras.standalone_optimizer(name) or KINDS[name]()\n",
    ),
    _case(
        "from keras.optimizers import Adam\n\n\nclass Slow(Adam):\n"
        "    def __init__(self, lr):\n        super().__init__(lr, 0.8)\n",
        "import legacy_keras\n\n\nclass Slow(legacy_keras.Adam):\n"
        "    def __init__(self, lr):\n        super().__init__(lr, 0.8)\n",
    ),
    _case(
        "from keras.optimizers import SGD\nopt = SGD(0.1, **OPTIONS)\n",
        "import legacy_keras\n\nopt = legacy_keras.SGD(0.1, **OPTIONS)\n",
    ),
    _case(
        "from keras.optimizers import *\nopt = SGD(lr=0.1)\n",
        "from tensorflow.keras.optimizers.legacy import SGD\nopt = SGD(learning_rate=0.1)\n",
    ),
    Case(
        pedl_trial(f"import numpy as np\nfrom keras.optimizers import SGD\n\n{_BY_TEXT}"),
        {
            "net.py": "import numpy as np\n\nimport legacy_keras\n\n"
            f"SGD = legacy_keras.SGD\nlegacy_keras.restore_attributes()\n"
            "legacy_keras.restore_dimensions()\n"
            f"legacy_keras.restore_numpy()\n\n{_BY_TEXT}"
        },
        "reaches names of the trial by string",
    ),
    _context(*["tf.keras.optimizers.Adam(learning_rate=0.1)"] * 2),
    _context(*["tf.keras.optimizers.Adam(**OPTIONS)"] * 2, "optimizers ignore lr="),
    _context(*["getattr(tf.keras.optimizers, NAME)(**OPTIONS)"] * 2, "optimizers ignore lr="),
    _case(
        "import tensorflow as tf\nMAKERS = {'text': tf.keras.optimizers.get}\n",
        "import legacy_keras\n\nMAKERS = {'text': legacy_keras.optimizer}\n",
    ),
    _context(*["self.kind(lr=0.1)"] * 2, "optimizers ignore lr="),
    _context(
        "getattr(tf.keras.optimizers, NAME)(lr=0.1)",
        "getattr(tf.keras.optimizers.legacy, NAME)(lr=0.1)",
    ),
    _context(
        "[tf.keras.optimizers.Adam][0](**dict(lr=0.1))",
        "[tf.keras.optimizers.legacy.Adam][0](**dict(lr=0.1))",
    ),
    _case(  # it is the epsilon of the optimizers, too
        "from keras import backend as K, optimizers\n"
        "K.set_epsilon(0.1)\nopt = optimizers.Adam(lr=0.1)\n",
        "from tensorflow.keras import backend as K\n\nimport legacy_keras\n\n"
        "K.set_epsilon(0.1)\nopt = legacy_keras.Adam(lr=0.1)\n",
    ),
    _case(  # which is refused in one line when it runs: it clipped by the norm first
        "from keras.optimizers import Adam\nopt = Adam(clipnorm=1.0, clipvalue=0.5)\n",
        "import legacy_keras\n\nopt = legacy_keras.Adam(clipnorm=1.0, clipvalue=0.5)\n",
    ),
    _case(_GUARDED, _GUARDED),
    _case(_OWN, _OWN),
)
