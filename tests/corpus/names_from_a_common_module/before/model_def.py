from common import RATE, TFKerasTensorBoard, TFKerasTrial, tf


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        model.compile(tf.keras.optimizers.Adam(RATE), "mse")
        return model

    def keras_callbacks(self, hparams):
        return [TFKerasTensorBoard(update_freq="batch")]
