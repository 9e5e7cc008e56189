# The net of the corpus.
import tensorflow as tf  # TensorFlow 1.14

# What PEDL gives us:
from pedl.frameworks.keras import (  # the old one
    TFKerasTensorBoard,
    TFKerasTrial,  # a trial
)
# ---


# Not tuned.
class Net(  # a net
    TFKerasTrial
):
    # Above the first method.

    def build_model(  # called once
        self, hparams
    ):
        # Above the model.
        model = tf.keras.Sequential(  # in a call
            [
                tf.keras.layers.Dense(hparams["units"]),  # the only layer
                # an empty place
            ]
        )  # after it
        # Above compile.
        model.compile(
            # Adam is enough.
            tf.keras.optimizers.Adam(0.01),  # slowly
            "mse",
        )  # after compile
        return model  # the model

    # Above the callbacks.
    def keras_callbacks(self, hparams):  # one
        return [TFKerasTensorBoard()]  # the board

    # At the end of the class.
# At the end of the file.
