import logging

import tensorflow as tf
from tensorflow.keras import layers

import determined as det
from determined.keras import SequenceAdapter, TFKerasTensorBoard, TFKerasTrial, TFKerasTrialContext

from energy.data import CATEGORICAL, NUMERIC, FrameSequence, features, simulate
from energy.layers import RSquared, SelfAttention, Tokens
from energy.util import logged, section


class LoaderMixin:
    def _frame(self, split):
        conf = self.context.get_data_config()
        return simulate(conf["rows"][split], seed=conf["seeds"][split])

    @logged
    def build_training_data_loader(self):
        seq = FrameSequence(self._frame("train"), self.context.get_per_slot_batch_size(), self.hp("weight_labs"))
        return SequenceAdapter(seq, **self.context.get_data_config().get("adapter", {}))

    @logged
    def build_validation_data_loader(self):
        x, y = features(self._frame("valid"))
        return x, y


class EnergyTrial(LoaderMixin, TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        self.hp = context.get_hparam

    def encoder(self, x):
        for _ in range(self.hp("layers")):
            y = layers.LayerNormalization()(x)
            x = layers.add([x, SelfAttention(self.hp("dim"), self.hp("heads"))(y)])
            y = layers.LayerNormalization()(x)
            y = layers.Dense(2 * self.hp("dim"), activation=tf.nn.relu)(y)
            x = layers.add([x, layers.Dense(self.hp("dim"))(y)])
        return x

    @logged
    def build_model(self):
        with section("model"):
            inputs = {"numeric": layers.Input((len(NUMERIC),), name="numeric")}
            for name in CATEGORICAL:
                inputs[name] = layers.Input((1,), dtype="int32", name=name)
            x = Tokens(self.hp("dim"), CATEGORICAL)(list(inputs.values()))
            x = self.encoder(x)
            x = layers.GlobalAveragePooling1D()(x)
            kwh = layers.Dense(1, name="kwh")(x)
            model = tf.keras.Model(inputs=list(inputs.values()), outputs=kwh)

            model = self.context.wrap_model(model)
            model.compile(
                tf.keras.optimizers.Adam(self.hp("lr"), clipnorm=1.0),
                loss=tf.keras.losses.Huber(delta=self.hp("huber_delta")),
                metrics=["mae", RSquared()],
            )
        return model

    def keras_callbacks(self):
        callbacks = [
            tf.keras.callbacks.EarlyStopping(monitor="loss", min_delta=1e-5, patience=30),
            tf.keras.callbacks.LearningRateScheduler(self.schedule),
        ]
        if self.context.get_experiment_config().get("tensorboard", True):
            callbacks += [TFKerasTensorBoard(update_freq="batch", profile_batch=0)]
        return callbacks

    def schedule(self, epoch, lr):
        return lr * 0.5 if epoch and epoch % self.hp("halve_every") == 0 else lr
