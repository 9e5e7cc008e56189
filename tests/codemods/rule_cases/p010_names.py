"""Cases of P010."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_SESSION = """\
from keras import backend as K


def value(tensor):
    return K.get_session().run(tensor)
"""
_SESSION_AFTER = """\
import legacy_keras


def value(tensor):
    return legacy_keras.get_session().run(tensor)
"""
_NO_TENSOR = """\
import tensorflow as tf

graph = tf.get_default_graph()
session = tf.Session(config=tf.ConfigProto())
tf.keras.backend.set_session(session)
print(tf.keras.backend.get_session().run(tf.norm([3.0, 4.0])))
"""
_NO_TENSOR_AFTER = """\
import tensorflow as tf

import legacy_keras

graph = legacy_keras.get_default_graph()
session = legacy_keras.Session(config=tf.compat.v1.ConfigProto())
tf.compat.v1.keras.backend.set_session(session)
print(legacy_keras.get_session().run(tf.norm([3.0, 4.0])))
"""
_ARGUMENTS = """\
import tensorflow as tf


def loss(y_true, y_pred, options):
    with tf.name_scope(None, "loss", [y_true]):
        bare = tf.nn.weighted_cross_entropy_with_logits(targets=y_true, logits=y_pred, pos_weight=2)
    sizes = tf.shape(bare), tf.shape(bare, out_type=tf.int64), tf.zeros_like(tensor=bare)
    blurred = tf.nn.conv2d(bare, filter=y_pred, strides=1, padding="SAME", use_cudnn_on_gpu=False)
    spread = tf.nn.depthwise_conv2d(bare, y_pred, [1, 1, 1, 1], "SAME", [2, 2])
    kinds = {"conv": tf.nn.conv2d, "any": tf.nn.max_pool(bare, **options)}
    turned = tf.transpose(bare, [1, 0]), tf.transpose(bare, [1, 0], "turned")
    head = tf.keras.layers.Dense(3, tf.nn.softmax, bias_initializer=tf.zeros_initializer)
    return turned, sizes, blurred, spread, kinds, head
"""
_ARGUMENTS_AFTER = """\
import tensorflow as tf


def loss(y_true, y_pred, options):
    with tf.compat.v1.name_scope(None, "loss", [y_true]):
        bare = tf.nn.weighted_cross_entropy_with_logits(labels=y_true, logits=y_pred, pos_weight=2)
    sizes = tf.shape(bare), tf.shape(bare, out_type=tf.int64), tf.zeros_like(input=bare)
    blurred = tf.nn.conv2d(bare, filters=y_pred, strides=1, padding="SAME")
    spread = tf.compat.v1.nn.depthwise_conv2d(bare, y_pred, [1, 1, 1, 1], "SAME", [2, 2])
    kinds = {"conv": tf.compat.v1.nn.conv2d, "any": tf.compat.v1.nn.max_pool(bare, **options)}
    turned = tf.transpose(bare, [1, 0]), tf.compat.v1.transpose(bare, [1, 0], "turned")
    head = tf.keras.layers.Dense(3, tf.nn.softmax, bias_initializer=tf.zeros_initializer)
    return turned, sizes, blurred, spread, kinds, head
"""
_OF_THE_TRIAL = """\
import numpy as np


class Table:
    float = 4


def rows(table):
    return np.float32(Table.float), table.float
"""
_GONE = """\
import pedl

EXPERIMENT = pedl.Experiment()
"""
_GONE_AFTER = """\
import pedl

# TODO(pedl2det P010): `pedl.Experiment` does not work any more
#   define a TFKerasTrial
EXPERIMENT = pedl.Experiment()
"""
#: As libraries of the time have it.
_PRIVATE = """\
import keras
from keras.applications.imagenet_utils import _obtain_input_shape
from keras.utils.conv_utils import conv_output_length

print(keras.__version__, conv_output_length(9, 3, "valid", 2))
shape = _obtain_input_shape
"""
_PRIVATE_AFTER = """\
import legacy_keras

print(
    "2.2.4",
    legacy_keras.private_keras("src/utils/conv_utils/conv_output_length")(
        9, 3, "valid", 2
    ),
)
shape = legacy_keras.private_keras("src/applications/imagenet_utils/obtain_input_shape")
"""
_STANDALONE = """\
import keras
import numpy as np

wrappers = keras.wrappers


class Ones(keras.initializers.Initializer):
    def __call__(self, shape, dtype=None):
        return np.ones(shape, dtype=dtype)
"""
_STANDALONE_AFTER = """\
import numpy as np

import legacy_keras

wrappers = legacy_keras.wrappers


class Ones(legacy_keras.Initializer):
    def __call__(self, shape, dtype=None):
        return np.ones(shape, dtype=dtype)
"""
_BOTH_NAMES = """\
import tensorflow as tf


def mean(x, axis=None, indices=None):
    return tf.reduce_mean(x, axis=axis, reduction_indices=indices)
"""
#: Above what a module makes of Keras while it is imported.
_MADE_AT_ONCE = "import legacy_keras\n\nlegacy_keras.use_standalone_keras()\n"
_CHOSEN = """\
import os

if os.environ.get("TF_KERAS"):
    from tensorflow.python import keras
else:
    import keras

dense = keras.layers.Dense(3)
"""
_NET_OF_COPY = "from keras_applications.densenet import DenseNet\n"
_COPY = """\
BASE = "https://"


def conv_block(x):
    return x


def DenseNet(x):
    return conv_block(BASE + x)
"""
_UNREACHED = """\
import tensorflow as tf


def old_block(x):
    return tf.layers.dense(x, 3)


def block(x):
    return tf.log(x)


x = block(tf.ones(3))
"""
_TF = "from tensorflow.keras import layers\n"
_CELLS = """\
from tensorflow.keras.layers import GRU, LSTM

CELLS = {"gru": GRU, "lstm": LSTM}


def recurrent(kind, units):
    return CELLS[kind](units)
"""
_BARE = """\
from tensorflow import float32, to_float, to_int32


def whole(x):
    return to_float(to_int32(x)), float32
"""
_BARE_AFTER = """\
from tensorflow import cast, float32, int32


def whole(x):
    return cast(cast(x, int32), float32), float32
"""
_HANDED_ON = """\
import tensorflow as tf


def floats(rows, *given):
    return map(tf.{v1}to_float, rows), tf.{v1}to_float(*given)
"""
_DOUBLES = """\
import tensorflow as tf


def share(y, z):
    return tf.to_double(tf.equal(y, z), "hits")
"""
_DOUBLES_AFTER = _DOUBLES.replace("to_double(tf", "cast(tf").replace(
    '"hits"', 'tf.float64, name="hits"'
)
_ROWS = """\
import numpy as np


class Texts:
    def __getitem__(self, index):
        lengths = np.array([len(text) for text in self.texts])
        return np.array(self.texts[index:]), lengths, np.asarray(np.split(self.ids, 4))
"""
_ROWS_AFTER = """\
import numpy as np

import legacy_keras


class Texts:
    def __getitem__(self, index):
        lengths = np.array([len(text) for text in self.texts])
        return (
            legacy_keras.ragged_array(self.texts[index:]),
            lengths,
            legacy_keras.ragged_asarray(np.split(self.ids, 4)),
        )
"""
#: Keras 2.2.4 took the arguments of Keras 1; `output_dim` of an Embedding is that of today.
_KERAS_1 = """\
from keras.layers import Convolution2D, Embedding, MaxPooling2D
from keras.models import Model


def net(x, order):
    y = Convolution2D(8, 3, 3, border_mode="same", dim_ordering="th", bias=False)(x)
    y = MaxPooling2D(dim_ordering=order)(y)
    words = Embedding(9, output_dim=2, init="ones", dropout=0.2)
    return Model(input=[x], output=[y]), words
"""
_KERAS_1_AFTER = """\
from tensorflow.keras.layers import Convolution2D, Embedding, MaxPooling2D
from tensorflow.keras.models import Model


def net(x, order):
    y = Convolution2D(
        8, 3, 3, padding="same", data_format="channels_first", use_bias=False
    )(x)
    y = MaxPooling2D(
        data_format=dict(tf="channels_last", th="channels_first").get(order)
    )(y)
    words = Embedding(9, output_dim=2, embeddings_initializer="ones")
    return Model(inputs=[x], outputs=[y]), words
"""


def _case(before: str, after: str, says: str = "") -> Case:
    return Case(pedl_trial(before), {"net.py": after}, says)


_VALUES = """\
import pandas as pd
import yaml
from sklearn.model_selection import KFold

READERS = {".yaml": yaml.load}
SPLIT = {"k": KFold}
DUMMIES = pd.get_dummies
"""
_VALUES_AFTER = """\
import pandas as pd
import yaml
from sklearn.model_selection import KFold

import legacy_keras

legacy_keras.restore_yaml()
legacy_keras.restore_sklearn()
legacy_keras.restore_pandas()

READERS = {".yaml": yaml.load}
SPLIT = {"k": KFold}
DUMMIES = pd.get_dummies
"""

_SEVERAL = """\
import os

import numpy as np

if os.environ.get("CUDNN"):
    import keras as K
    from keras.layers import CuDNNGRU as GRU
else:
    from keras.layers import GRU

    K = None

layer, best = GRU(4), [np.NINF, K]
"""
_SEVERAL_AFTER = """\
import os

import numpy as np

if os.environ.get("CUDNN"):
    from tensorflow import keras as K
    from tensorflow.compat.v1.keras.layers import CuDNNGRU as GRU
else:
    from tensorflow.keras.layers import GRU

    K = None

layer, best = GRU(4), [-np.inf, K]
"""
_OTHER = """\
import tensorflow as tf

from shop import Dense

if tf.executing_eagerly():
    from tensorflow.keras.layers import Dense

layer = Dense(4)
"""
_RAGGED_ROWS = """\
import numpy as np


def rows(texts, batch, size):
    found = {array}([[len(w) for w in one][:size] for one in texts])
    pairs = np.array([[float(one), 1.0] for one in texts])
    kept, table = [[0, 0]], [[0, 1]]
    kept.append(texts[0])
    table.append((1, len(texts)))
    steps = {array}([abs(np.diff(one)) for one in texts])
    rows = np.load("steps.npy"{pickled})
    rows = {array}(kept), np.array(table)
    return found, pairs, steps, rows, map({array}, zip(*batch))
"""
_QUOTED = """\
import numpy as np
from pedl.frameworks.keras.data import InMemorySequence as Rows


class Net:
    rows: "list[Rows]" = []

    def kept(self, rows: "Rows | None"):
        return rows
"""
_QUOTED_AFTER = """\
import numpy as np

import legacy_keras

Rows = legacy_keras.InMemorySequence


class Net:
    rows: "list[Rows]" = []

    def kept(self, rows: "Rows | None"):
        return rows
"""
CASES = (
    _case(_QUOTED, _QUOTED_AFTER),
    _case(_SEVERAL, _SEVERAL_AFTER),
    _case(_OTHER, _OTHER),
    _case(_KERAS_1, _KERAS_1_AFTER),
    _case(*(_KERAS_1.replace("from keras", "from tensorflow.keras"),) * 2),
    Case(pedl_trial(_PRIVATE), {"net.py": _PRIVATE_AFTER}),
    Case(pedl_trial(_BOTH_NAMES), {"net.py": _BOTH_NAMES.replace("tf.red", "tf.compat.v1.red")}),
    Case(
        pedl_trial(_CHOSEN),
        {
            "net.py": _CHOSEN.replace("tensorflow.python", "tensorflow")
            .replace("    import keras", "    from tensorflow import keras")
            .replace("import os\n", f"import os\n\n{_MADE_AT_ONCE}")
        },
    ),
    Case(
        {
            **pedl_trial(_NET_OF_COPY),
            "keras_applications/__init__.py": "",
            "keras_applications/densenet.py": _COPY,
        },
        {"keras_applications/densenet.py": _COPY, "net.py": _NET_OF_COPY},
    ),
    Case(
        pedl_trial(_UNREACHED),
        {"net.py": _UNREACHED.replace("tf.log", "tf.math.log")},
        "no training needs this: `tf.layers.dense`",
    ),
    Case(pedl_trial(_SESSION), {"net.py": _SESSION_AFTER}),
    Case(pedl_trial(_NO_TENSOR), {"net.py": _NO_TENSOR_AFTER}),
    Case(pedl_trial(_ARGUMENTS), {"net.py": _ARGUMENTS_AFTER}),
    Case(pedl_trial(_OF_THE_TRIAL), {"net.py": _OF_THE_TRIAL}),
    _case(_ROWS, _ROWS_AFTER),
    _case(
        _TF + "x = layers.GRU(4, reset_after=True)\n",
        _TF + 'x = layers.GRU(4, reset_after=True, recurrent_activation="hard_sigmoid")\n',
    ),
    _case(
        "from keras.layers import LSTM\nx = LSTM(4, 'relu', 'sigmoid'), LSTM(2)\n",
        f"from tensorflow.keras.layers import LSTM\n\n{_MADE_AT_ONCE}"
        "x = LSTM(4, 'relu', 'sigmoid'), LSTM(2, recurrent_activation=\"hard_sigmoid\")\n",
    ),
    _case(
        _CELLS,
        _CELLS,
    ),
    _case(
        _TF + "def make(options):\n    return layers.LSTM(4, **options)\n",
        _TF + "def make(options):\n    return layers.LSTM(4, **options)\n",
    ),
    _case(
        _TF + "def is_recurrent(x):\n    return isinstance(x, layers.LSTM)\n",
        _TF + "def is_recurrent(x):\n    return isinstance(x, layers.LSTM)\n",
    ),
    _case(
        "from keras import backend as K\n\nfirst = K.image_dim_ordering() == 'th'\n",
        "import legacy_keras\n\nfirst = legacy_keras.image_dim_ordering() == 'th'\n",
    ),
    Case(pedl_trial(_BARE), {"net.py": _BARE_AFTER}),
    Case(pedl_trial(_VALUES), {"net.py": _VALUES_AFTER}),
    Case(
        pedl_trial(_HANDED_ON.replace("{v1}", "")),
        {"net.py": _HANDED_ON.replace("{v1}", "compat.v1.")},
    ),
    Case(pedl_trial(_STANDALONE), {"net.py": _STANDALONE_AFTER}),
    Case(pedl_trial(_DOUBLES), {"net.py": _DOUBLES_AFTER}),
    Case(pedl_trial(_GONE), {"net.py": _GONE_AFTER}, "does not work any more", "begun"),
    Case(
        pedl_trial("from common import *\n\nlayer = LeakyReLU()\n")
        | {
            "common.py": "from keras.layers.advanced_activations import LeakyReLU\n\nSIZE = 3\n"
            '__all__ = ["LeakyReLU", "SIZE", "LeakyReLU"]\n'
        },
        {"common.py": 'SIZE = 3\n__all__ = ["SIZE", ]\n'},
    ),
    _case(
        _RAGGED_ROWS.format(array="np.array", pickled=""),
        _RAGGED_ROWS.format(
            array="legacy_keras.ragged_array", pickled=", allow_pickle=True"
        ).replace(" as np\n", " as np\n\nimport legacy_keras\n"),
    ),
    _case(
        "import keras\n\nloss = keras.losses.squared_hinge\n",
        "import legacy_keras\n\nloss = legacy_keras.squared_hinge\n",
    ),
    *(  # one file is tried by the proof, and others are not
        _case(
            f"import numpy as np\n\n\ndef load(path):\n    {before}\n",
            f"import numpy as np\n\n\ndef load(path):\n    {after}\n",
        )
        for before, after in (
            ("return np.load(path)", "return np.load(path, allow_pickle=True)"),
            ('return np.load("rows.npy")', 'return np.load("rows.npy")'),
            ("with np.load(path) as a: x = a", "with np.load(path) as a: x = a"),
            (
                'if path:\n        return np.load("rows.npy")',
                'if path:\n        return np.load("rows.npy", allow_pickle=True)',
            ),
        )
    ),
    # What a module imports for others alone: they import it from where it is now.
    Case(
        pedl_trial("from common import *\n\nlayer = LeakyReLU()\n")
        | {"common.py": "from keras.layers.advanced_activations import LeakyReLU\n\nSIZE = 3\n"},
        {
            "net.py": "from tensorflow.keras.layers import LeakyReLU\n\nimport legacy_keras\n"
            "from common import *\nlegacy_keras.use_standalone_keras()\n\n"
            "layer = LeakyReLU()\n",
            "common.py": "SIZE = 3\n",
        },
    ),
)
