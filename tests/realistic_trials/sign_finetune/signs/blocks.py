import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import (
    Activation, BatchNormalization, Conv2D, Dense, DepthwiseConv2D, GlobalAveragePooling2D, Layer, Multiply, Reshape,
)


def swish(x):
    return x * K.sigmoid(x)


def hard_swish(x):
    return x * K.relu(x + 3., max_value=6.) / 6.


class SqueezeExcite(Layer):
    def __init__(self, ratio=4, **kwargs):
        super().__init__(**kwargs)
        self.ratio = ratio

    def build(self, input_shape):
        c = int(input_shape[-1])
        self.down = self.add_weight("down", shape=(c, c // self.ratio), initializer="he_normal")
        self.up = self.add_weight("up", shape=(c // self.ratio, c), initializer="he_normal")
        super().build(input_shape)

    def call(self, inputs):
        s = K.mean(inputs, axis=(1, 2))
        s = K.sigmoid(K.dot(K.relu(K.dot(s, self.down)), self.up))
        return inputs * s[:, tf.newaxis, tf.newaxis, :]

    def get_config(self):
        config = super().get_config()
        config["ratio"] = self.ratio
        return config


class Block:
    """A callable, so that it reads like a Keras layer: x = Block(16, 2)(x)"""
    count = 0

    def __init__(self, filters, stride=1, activation="relu", se=True):
        self.filters, self.stride, self.activation, self.se = filters, stride, activation, se
        Block.count += 1
        self.name = "block%d" % Block.count

    def __call__(self, x):
        x = DepthwiseConv2D(3, strides=self.stride, padding="same", use_bias=False, name=self.name + "_dw")(x)
        x = BatchNormalization(name=self.name + "_bn1")(x)
        x = Activation(self.activation)(x)
        if self.se:
            x = SqueezeExcite(name=self.name + "_se")(x)
        x = Conv2D(self.filters, 1, use_bias=False, name=self.name + "_pw")(x)
        return BatchNormalization(name=self.name + "_bn2")(x)
