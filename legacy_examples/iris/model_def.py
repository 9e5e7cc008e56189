"""
A small fully connected network that tells three species of iris apart, trained
on four measurements of each flower.
"""
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.losses import categorical_crossentropy
from tensorflow.keras.metrics import categorical_accuracy
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import RMSprop

import pedl
from pedl.frameworks.keras import TFKerasTensorBoard, TFKerasTrial


class IrisTrial(TFKerasTrial):
    def build_model(self, hparams):
        """
        Define the model architecture: one hidden layer, softmax over the species.
        """
        inputs = Input(shape=(4,))
        dense1 = Dense(pedl.get_hyperparameter("layer1_dense_size"))(inputs)
        dense2 = Dense(3, activation="softmax")(dense1)
        model = Model(inputs=inputs, outputs=dense2)

        model.compile(
            RMSprop(
                lr=pedl.get_hyperparameter("learning_rate"),
                decay=pedl.get_hyperparameter("learning_rate_decay"),
            ),
            categorical_crossentropy,
            [categorical_accuracy],
        )

        return model

    def keras_callbacks(self, hparams):
        return [TFKerasTensorBoard(update_freq="batch", profile_batch=0, histogram_freq=1)]
