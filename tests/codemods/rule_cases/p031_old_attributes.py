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


def depth(x):
    y = tf.convert_to_tensor(x)
    batch, steps, _ = x.shape
    sizes = [legacy_keras.dimension(size) for size in x.get_shape()]
    return (
        legacy_keras.dimension(x.get_shape()[-1]),
        y.shape[0],
        legacy_keras.dimension(steps),
    )


def built(input_shape, dims):
    width = input_shape[-1]
    return legacy_keras.dimension(width), legacy_keras.dimension(dims[0])
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
    "self.size = sum(K.count_params(one) for one in set(net.trainable_weights))",
    "net._make_predict_function()",
    "self.norm = float(K.sum(x).eval(session=K.get_session()))",
    "self.anchors.setdefault(net.weights[0], 0)",
    "self.anchors = OrderedDict(zip(net.weights, values))",
    "self.rate = net.optimizer.get_config()['lr']",
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


def _keras(code: str) -> str:
    return code.replace("from keras", "from tensorflow.keras")


CASES = (
    Case(pedl_trial(_SHAPES), {"net.py": _SHAPES_AFTER}),
    *(
        Case(
            pedl_trial(_GONE.format(line=line)),
            {"net.py": _keras(_GONE.format(line=line)).replace("Layer\n", f"Layer\n{_LINE}", 1)},
        )
        for line in _LINES
    ),
    Case(pedl_trial(_OTHER), {"net.py": _keras(_OTHER)}),
)
