"""
Draws handwritten digits: a generator and a discriminator, each with an optimizer of its own.
Written for Determined 0.17, the first release with subclassed models and several optimizers.
"""
import numpy as np
import tensorflow as tf

from determined.keras import TFKerasTrial, TFKerasTrialContext

PIXELS = 64


class GAN(tf.keras.Model):
    def __init__(self, noise_size: int, units: int) -> None:
        super().__init__()
        self.noise_size = noise_size
        self.generator = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(units, activation="relu", input_shape=(noise_size,)),
                tf.keras.layers.BatchNormalization(),
                tf.keras.layers.Dense(PIXELS, activation="sigmoid"),
            ],
            name="generator",
        )
        self.discriminator = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(units, activation="relu", input_shape=(PIXELS,)),
                tf.keras.layers.Dropout(0.3),
                tf.keras.layers.Dense(1),
            ],
            name="discriminator",
        )
        self.random = tf.random.Generator.from_seed(1)

    def compile(self, discriminator_optimizer, generator_optimizer, loss_fn, **kwargs) -> None:
        super().compile(**kwargs)
        self.discriminator_optimizer = discriminator_optimizer
        self.generator_optimizer = generator_optimizer
        self.loss_fn = loss_fn

    def call(self, noise, training=False):
        return self.generator(noise, training=training)

    def train_step(self, data):
        real, _ = data
        size = tf.shape(real)[0]
        noise = self.random.normal((size, self.noise_size))

        with tf.GradientTape() as tape:
            fake = self.generator(noise, training=True)
            on_real = self.discriminator(real, training=True)
            on_fake = self.discriminator(fake, training=True)
            d_loss = self.loss_fn(tf.ones_like(on_real), on_real) + self.loss_fn(
                tf.zeros_like(on_fake), on_fake
            )
        variables = self.discriminator.trainable_variables
        self.discriminator_optimizer.apply_gradients(
            zip(tape.gradient(d_loss, variables), variables)
        )

        with tf.GradientTape() as tape:
            on_fake = self.discriminator(self.generator(noise, training=True), training=True)
            g_loss = self.loss_fn(tf.ones_like(on_fake), on_fake)
        variables = self.generator.trainable_variables
        self.generator_optimizer.apply_gradients(zip(tape.gradient(g_loss, variables), variables))

        return {"d_loss": d_loss, "g_loss": g_loss}

    def test_step(self, data):
        """How far the mean drawn picture is from the mean real one."""
        real, _ = data
        noise = tf.random.stateless_normal((256, self.noise_size), seed=(1, 2))
        drawn = self.generator(noise, training=False)
        difference = tf.reduce_mean(real, axis=0) - tf.reduce_mean(drawn, axis=0)
        return {"difference": tf.reduce_mean(tf.abs(difference))}


class GANTrial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        with np.load(self.context.get_data_config()["file"]) as data:
            self.pictures = data["images"].reshape(-1, PIXELS).astype("float32") / 16.0

    def build_model(self) -> tf.keras.Model:
        model = GAN(self.context.get_hparam("noise_size"), self.context.get_hparam("units"))
        model = self.context.wrap_model(model)
        rate = self.context.get_hparam("learning_rate")
        d_optimizer = self.context.wrap_optimizer(tf.keras.optimizers.Adam(rate, beta_1=0.5))
        g_optimizer = self.context.wrap_optimizer(tf.keras.optimizers.Adam(rate, beta_1=0.5))
        model.compile(
            discriminator_optimizer=d_optimizer,
            generator_optimizer=g_optimizer,
            loss_fn=tf.keras.losses.BinaryCrossentropy(from_logits=True),
        )
        return model

    def build_training_data_loader(self):
        return self.pictures, self.pictures

    def build_validation_data_loader(self):
        # All pictures in one batch: the metric is about their mean.
        pictures = tf.data.Dataset.from_tensors((self.pictures, self.pictures))
        return self.context.wrap_dataset(pictures, shard_dataset=False)
