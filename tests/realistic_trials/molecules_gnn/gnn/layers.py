import tensorflow as tf
from tensorflow.keras import layers


class MessagePassing(layers.Layer):
    """Base class. Subclasses say how messages are aggregated."""

    def __init__(self, units, activation="relu", **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.activation = tf.keras.activations.get(activation)
        self.supports_masking = True

    def aggregate(self, x, adjacency):
        raise NotImplementedError

    def call(self, inputs):
        x, adjacency = inputs
        return self.activation(self.transform(self.aggregate(x, adjacency)))

    def get_config(self):
        config = super().get_config()
        config.update(units=self.units, activation=tf.keras.activations.serialize(self.activation))
        return config


class GCN(MessagePassing):
    def build(self, input_shape):
        self.transform = layers.Dense(self.units, use_bias=True)
        super().build(input_shape)

    def aggregate(self, x, adjacency):
        a = adjacency + tf.eye(tf.shape(adjacency)[-1])
        d = tf.math.rsqrt(tf.reduce_sum(a, -1, keepdims=True))
        return tf.matmul(a * d * tf.linalg.matrix_transpose(d), x)


class GIN(MessagePassing):
    def build(self, input_shape):
        self.transform = tf.keras.Sequential([layers.Dense(self.units, "relu"), layers.Dense(self.units)])
        self.eps = self.add_weight("eps", shape=(), initializer="zeros")
        super().build(input_shape)

    def aggregate(self, x, adjacency):
        return (1 + self.eps) * x + tf.matmul(adjacency, x)


class Readout(layers.Layer):
    """Mean and maximum over the atoms that are there."""

    def call(self, inputs):
        x, nodes = inputs
        there = tf.reduce_sum(nodes, -1, keepdims=True)
        mean = tf.reduce_sum(x * there, 1) / tf.reduce_sum(there, 1)
        return tf.concat([mean, tf.reduce_max(x * there, 1)], -1)
