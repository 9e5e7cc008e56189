"""Conditional WGAN with gradient penalty as a tf.keras.Model with its own train_step."""
import tensorflow as tf
from tensorflow.keras import layers


def build_generator(noise_dim: int, classes: int, width: int) -> tf.keras.Model:
    noise = layers.Input((noise_dim,))
    label = layers.Input((), dtype=tf.int32)
    x = layers.concatenate([noise, layers.Embedding(classes, 8)(label)])
    x = layers.Dense(2 * 2 * width)(x)
    x = layers.Reshape((2, 2, width))(x)
    for filters in (width // 2, width // 4):
        x = layers.BatchNormalization()(x)
        x = layers.LeakyReLU(0.2)(x)
        x = layers.Conv2DTranspose(filters, 3, strides=2, padding="same")(x)
    x = layers.LeakyReLU(0.2)(x)
    image = layers.Conv2D(1, 3, padding="same", activation="tanh")(x)
    return tf.keras.Model([noise, label], image, name="generator")


def build_critic(classes: int, width: int, dropout: float) -> tf.keras.Model:
    image = layers.Input((8, 8, 1))
    label = layers.Input((), dtype=tf.int32)
    x = image
    for filters in (width // 2, width):
        x = layers.Conv2D(filters, 3, strides=2, padding="same")(x)
        x = layers.LeakyReLU(0.2)(x)
        x = layers.Dropout(dropout)(x)
    x = layers.Flatten()(x)
    score = layers.Dense(1)(x)
    # projection of the label, Miyato & Koyama
    projected = layers.Dot(axes=1)([layers.Dense(8)(x), layers.Embedding(classes, 8)(label)])
    return tf.keras.Model([image, label], layers.add([score, projected]), name="critic")


class ConditionalWGAN(tf.keras.Model):
    def __init__(self, hparams, classes):
        super().__init__()
        self.noise_dim = hparams["noise_dim"]
        self.critic_steps = hparams["critic_steps"]
        self.penalty = hparams.get("penalty", 10.0)
        self.generator = build_generator(self.noise_dim, classes, hparams["width"])
        self.critic = build_critic(classes, hparams["width"], hparams["dropout"])
        self.trackers = {name: tf.keras.metrics.Mean(name=name) for name in ("wasserstein", "penalty", "g_loss")}

    def compile(self, g_optimizer, c_optimizer):
        super().compile()
        self.g_optimizer = g_optimizer
        self.c_optimizer = c_optimizer

    @property
    def metrics(self):
        return list(self.trackers.values())

    def call(self, inputs, training=False):
        return self.generator(inputs, training=training)

    def sample(self, labels, training):
        noise = tf.random.normal((tf.shape(labels)[0], self.noise_dim))
        return self.generator([noise, labels], training=training)

    def gradient_penalty(self, real, fake, labels):
        mix = tf.random.uniform((tf.shape(real)[0], 1, 1, 1))
        between = real + mix * (fake - real)
        with tf.GradientTape() as tape:
            tape.watch(between)
            score = self.critic([between, labels], training=True)
        norm = tf.sqrt(tf.reduce_sum(tf.square(tape.gradient(score, between)), axis=(1, 2, 3)) + 1e-12)
        return tf.reduce_mean(tf.square(norm - 1.0))

    def train_step(self, data):
        real, labels = data
        for _ in range(self.critic_steps):
            with tf.GradientTape() as tape:
                fake = self.sample(labels, training=True)
                gap = tf.reduce_mean(self.critic([real, labels], training=True)) - tf.reduce_mean(
                    self.critic([fake, labels], training=True))
                penalty = self.gradient_penalty(real, fake, labels)
                loss = self.penalty * penalty - gap
            variables = self.critic.trainable_variables
            self.c_optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        with tf.GradientTape() as tape:
            g_loss = -tf.reduce_mean(self.critic([self.sample(labels, training=True), labels], training=True))
        variables = self.generator.trainable_variables
        self.g_optimizer.apply_gradients(zip(tape.gradient(g_loss, variables), variables))
        return self._track(wasserstein=gap, penalty=penalty, g_loss=g_loss)

    def test_step(self, data):
        real, labels = data
        fake = self.sample(labels, training=False)
        gap = tf.reduce_mean(self.critic([real, labels])) - tf.reduce_mean(self.critic([fake, labels]))
        return self._track(wasserstein=gap, g_loss=-tf.reduce_mean(self.critic([fake, labels])))

    def _track(self, **values):
        for name, value in values.items():
            self.trackers[name].update_state(value)
        return {name: self.trackers[name].result() for name in values}
