from typing import Callable, Dict, NamedTuple

import tensorflow as tf
from tensorflow.keras.layers import Activation, BatchNormalization, Conv2D, Input, MaxPool2D, UpSampling2D

NETS = {}  # type: Dict[str, Callable[["NetConfig"], tf.keras.Model]]


class NetConfig(NamedTuple):
    size: int
    width: int = 8
    final_activation: str = "relu"
    bn: bool = True


def net(func):
    """Registers an architecture under the name of its function."""
    NETS[func.__name__] = func
    return func


def _conv(x, filters, size=3, bn=True, **kwargs):
    x = Conv2D(filters, size, padding="same", use_bias=not bn, kernel_initializer="orthogonal", **kwargs)(x)
    if bn:
        x = BatchNormalization()(x)
    return Activation("relu")(x)


@net
def fcrn(c: NetConfig) -> tf.keras.Model:
    """FCRN-A of Xie, Noble, Zisserman, but small"""
    x = inputs = Input((c.size, c.size, 1))
    for k in range(2):
        x = _conv(x, c.width * 2 ** k, bn=c.bn)
        x = MaxPool2D()(x)
    x = _conv(x, c.width * 4, bn=c.bn)
    for k in reversed(range(2)):
        x = UpSampling2D()(x)
        x = _conv(x, c.width * 2 ** k, bn=c.bn)
    x = Conv2D(1, 1, activation=c.final_activation, bias_initializer=tf.constant_initializer(0.05), name="density")(x)
    return tf.keras.Model(inputs, x)


@net
def dilated(c: NetConfig) -> tf.keras.Model:
    x = inputs = Input((c.size, c.size, 1))
    for rate in 1, 2, 4, 2:
        x = _conv(x, c.width, bn=c.bn, dilation_rate=rate)
    x = Conv2D(1, 1, activation=c.final_activation, name="density")(x)
    return tf.keras.Model(inputs, x)
