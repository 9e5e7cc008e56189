"""
A small fully connected network that tells three species of iris apart, trained
on four measurements of each flower.
"""
from functools import cached_property

from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.losses import categorical_crossentropy
from tensorflow.keras.metrics import categorical_accuracy
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers.legacy import RMSprop

from determined.keras import TFKerasTrial, TFKerasTrialContext
from determined.keras.callbacks import TensorBoard

from data import make_data_loaders


class IrisTrial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)

    def build_model(self):
        """
        Define the model architecture: one hidden layer, softmax over the species.
        """
        inputs = Input(shape=(4,))
        dense1 = Dense(self.context.get_hparam("layer1_dense_size"))(inputs)
        dense2 = Dense(3, activation="softmax")(dense1)
        model = Model(inputs=inputs, outputs=dense2)

        model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(
            RMSprop(
                learning_rate=self.context.get_hparam("learning_rate"),
                decay=self.context.get_hparam("learning_rate_decay"),
            )
        )
        model.compile(
            optimizer,
            categorical_crossentropy,
            [categorical_accuracy],
        )

        return model

    def keras_callbacks(self):
        return [TensorBoard(update_freq="batch", profile_batch=0, histogram_freq=1)]

    @cached_property
    def data_loaders(self):
        """Training and validation data, from one call: they may share one shuffle."""
        return make_data_loaders(self.context)

    def build_training_data_loader(self):
        training, _ = self.data_loaders
        return training

    def build_validation_data_loader(self):
        _, validation = self.data_loaders
        return validation
