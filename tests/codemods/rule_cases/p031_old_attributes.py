"""Cases of P031."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_LINE = "\nimport legacy_keras\n\nlegacy_keras.restore_attributes()\n"
_SHAPES = """\
import tensorflow as tf


def depth(x):
    y = tf.convert_to_tensor(x)
    batch, steps, _ = x.shape
    sizes = [size.value for size in x.get_shape()]
    return x.get_shape()[-1].value, y.shape[0].value, steps.value


def built(input_shape, dims):
    width = input_shape[-1]
    return width.value, dims[0].value
"""
_SHAPES_AFTER = """\
import tensorflow as tf

import legacy_keras

legacy_keras.restore_dimensions()


def depth(x):
    y = tf.convert_to_tensor(x)
    batch, steps, _ = x.shape
    sizes = [size.value for size in x.get_shape()]
    return x.get_shape()[-1].value, y.shape[0].value, steps.value


def built(input_shape, dims):
    width = input_shape[-1]
    return width.value, dims[0].value
"""
#: Each of them is given back to the classes.
_GONE = """\
from keras.layers import Layer


class Scaled(Layer):
    def build(self, input_shape, dims):
        {line}
"""
_LINES = (
    "self.trainable_weights = [self.kernel]",
    "self.name += '_scaled'",
    "setattr(self, 'name', 'scaled')",
    "self.add_update([K.update(self.mean, x)], x)",
    "self.add_loss(K.sum(x), inputs=x)",
    "self.depth = x._keras_shape",
    "self.classes = net.predict_classes",
    "self.sizes = {layer.kernel: layer.name for layer in net.layers}",
    "self.size = sum(K.count_params(one) for one in set(net.trainable_weights))",
    "net._make_predict_function()",
    "self.norm = float(K.sum(x).eval(session=K.get_session()))",
    "self.anchors.setdefault(net.weights[0], 0)",
    "self.anchors = OrderedDict(zip(net.weights, values))",
    "self.rate = net.optimizer.get_config()['lr']",
    "self.rate = self.optimizer().get_config()['lr']",
    "self.classes = getattr(net, 'predict' + self.suffix)",
    "self.decay = net.optimizer.initial_decay",
    "self.rows = rows.make_one_shot_iterator().get_next()",
)
_OTHER = """\
import enum

from keras.layers import Layer

Kind = enum.Enum("Kind", "ONE TWO")


class Scaled(Layer):
    def call(self, x):
        self.add_loss(x)
        rate = config['lr']
        return [one.value for one in Kind], forest.predict_proba(x), self.name
"""


_OF_ALL = """\
import h5py
import pandas as pd


def frames(path, frame, rows):
    with h5py.File(path) as file:
        values = file["x"].value
    frame.ix[0, "a"] = 1
    rows.append(frame.as_matrix())
    every = frame.append(frame, ignore_index=True).resample("2T").mean().asfreq("M")
    return values, every, pd.date_range("2019", periods=3, freq="H")
"""
_OF_ALL_AFTER = """\
import h5py
import pandas as pd

import legacy_keras

legacy_keras.restore_h5py()
legacy_keras.restore_pandas()


def frames(path, frame, rows):
    with h5py.File(path, mode="a") as file:
        values = file["x"].value
    frame.ix[0, "a"] = 1
    rows.append(frame.as_matrix())
    every = frame.append(frame, ignore_index=True).resample("2min").mean().asfreq("M")
    return values, every, pd.date_range("2019", periods=3, freq="h")
"""
_OWN = """\
import pandas as pd


class Rows:
    def asfreq(self, how):
        return self


def first(rows, kinds):
    rows.append(pd.DataFrame())
    return Rows().asfreq("D"), kinds.value, pd.date_range("2019", freq="D")
"""
_BOTH = """\
import pandas as pd


class Rows:
    def iteritems(self):
        return []


def first(frame):
    return Rows().iteritems(), frame.iteritems()
"""
_BOTH_AFTER = """\
import pandas as pd

import legacy_keras

legacy_keras.restore_pandas()


class Rows:
    def iteritems(self):
        return []


def first(frame):
    return Rows().iteritems(), frame.iteritems()
"""


def _keras(code: str) -> str:
    return code.replace("from keras", "from tensorflow.keras")


_UNKNOWN = """\
import tensorflow as tf


def pooled(x):
    if x.shape[1] is None:
        return tf.reduce_mean(x, 1)
    return x[:, 0]
"""

_JOINED = """\
from tensorflow.keras import layers


def joined(x, y):
    return layers.add([x, y]) if {test} else y
"""
_BY_TEXT = """\
import numpy as np
from sklearn import preprocessing

KIND, SCALER = getattr(np, NAME), getattr(preprocessing, NAME)
"""
_RESTORED = """\

import legacy_keras

legacy_keras.restore_numpy()
legacy_keras.restore_sklearn()
"""

CASES = (
    Case(
        pedl_trial(_BY_TEXT),
        {"net.py": _BY_TEXT.replace("preprocessing\n", f"preprocessing\n{_RESTORED}", 1)},
    ),
    Case(
        pedl_trial(_UNKNOWN),
        {
            "net.py": _UNKNOWN.replace("as tf\n", f"as tf\n{_LINE}").replace(
                "attributes", "dimensions"
            )
        },
    ),
    *(
        Case(
            pedl_trial(_JOINED.format(test=test)),
            {
                "net.py": _JOINED.format(test=test).replace(
                    "layers\n", "layers\n" + _LINE.replace("attributes", restored), 1
                )
                if restored
                else _JOINED.format(test=test)
            },
        )
        for test, restored in (
            ("x.shape[1] == y.shape[1]", "dimensions"),  # None, where both are unknown
            ("x.shape[-1] // 2 > 3", "dimensions"),
            ("x.shape[0] == y.shape[0]", ""),
            ("len(x.shape) == 3", ""),
        )
    ),
    Case(  # variables had a hash
        pedl_trial("from keys import keyed\n\n\ndef table(net):\n    return keyed(net.weights)\n")
        | {"keys.py": "def keyed(given):\n    return {one: 1 for one in given}\n"},
        {
            "net.py": "import legacy_keras\nfrom keys import keyed\n"
            "legacy_keras.restore_attributes()\n\n\n"
            "def table(net):\n    return keyed(net.weights)\n"
        },
    ),
    Case(pedl_trial(_SHAPES), {"net.py": _SHAPES_AFTER}),
    *(
        Case(
            pedl_trial(_GONE.format(line=line)),
            {"net.py": _keras(_GONE.format(line=line)).replace("Layer\n", f"Layer\n{_LINE}", 1)},
        )
        for line in _LINES
    ),
    Case(pedl_trial(_OTHER), {"net.py": _keras(_OTHER)}),
    Case(pedl_trial(_OF_ALL), {"net.py": _OF_ALL_AFTER}),
    Case(pedl_trial(_OWN), {"net.py": _OWN}),
    Case(  # what has the name may be no frame
        pedl_trial(_OWN.replace("asfreq", "resample").replace('"D")', '"U")', 1)),
        {
            "net.py": _OWN.replace("asfreq", "resample")
            .replace('"D")', '"U")', 1)
            .replace("pd\n", "pd\n\nimport legacy_keras\n\nlegacy_keras.restore_pandas()\n", 1)
        },
    ),
    Case(pedl_trial(_BOTH), {"net.py": _BOTH_AFTER}),
)
