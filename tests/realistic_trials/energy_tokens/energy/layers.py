import tensorflow as tf
from tensorflow.keras import layers


class Tokens(layers.Layer):
    """One vector for each column: numbers are scaled vectors, categories are embedded."""

    def __init__(self, dim, cardinalities, **kwargs):
        super().__init__(**kwargs)
        self.dim = dim
        self.cardinalities = dict(cardinalities)
        self.embeddings = [layers.Embedding(n, dim) for n in self.cardinalities.values()]

    def build(self, shapes):
        n = shapes[0][-1]
        self.scale = self.add_weight("scale", (n, self.dim), initializer="glorot_uniform")
        self.shift = self.add_weight("shift", (n, self.dim), initializer="zeros")
        super().build(shapes)

    def call(self, inputs):
        numeric, categorical = inputs[0], inputs[1:]
        tokens = [numeric[..., None] * self.scale + self.shift]
        tokens += [embed(x) for embed, x in zip(self.embeddings, categorical)]
        return tf.concat(tokens, axis=1)


class SelfAttention(layers.Layer):
    def __init__(self, dim, heads, **kwargs):
        super().__init__(**kwargs)
        assert dim % heads == 0
        self.dim, self.heads = dim, heads
        self.qkv = layers.Dense(3 * dim, use_bias=False)
        self.out = layers.Dense(dim)

    def call(self, x):
        n = tf.shape(x)[1]
        q, k, v = tf.unstack(tf.transpose(
            tf.reshape(self.qkv(x), [-1, n, 3, self.heads, self.dim // self.heads]), [2, 0, 3, 1, 4]))
        a = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / (self.dim // self.heads) ** 0.5)
        y = tf.transpose(tf.matmul(a, v), [0, 2, 1, 3])
        return self.out(tf.reshape(y, [-1, n, self.dim]))


class RSquared(tf.keras.metrics.Metric):
    def __init__(self, name="r2", **kwargs):
        super().__init__(name=name, **kwargs)
        for v in "n", "sum", "squares", "residual":
            setattr(self, v, self.add_weight(v, initializer="zeros"))

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true = tf.reshape(y_true, [-1])
        y_pred = tf.reshape(y_pred, [-1])
        self.n.assign_add(tf.cast(tf.size(y_true), tf.float32))
        self.sum.assign_add(tf.reduce_sum(y_true))
        self.squares.assign_add(tf.reduce_sum(y_true ** 2))
        self.residual.assign_add(tf.reduce_sum((y_true - y_pred) ** 2))

    def result(self):
        total = self.squares - self.sum ** 2 / (self.n + 1e-7)
        return 1 - self.residual / (total + 1e-7)
