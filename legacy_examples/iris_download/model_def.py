import tensorflow as tf
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential
from tensorflow.keras.optimizers import SGD

from pedl.frameworks.keras.tf_keras_trial import TFKerasTrial


class IrisTrial(TFKerasTrial):
    def build_model(self, hparams) -> tf.keras.Model:
        model = Sequential()
        model.add(Dense(hparams["units"], input_shape=(4,), activation="relu"))
        model.add(Dense(3, activation="softmax"))
        optimizer = SGD(lr=hparams["learning_rate"], momentum=0.9, decay=1e-3)
        model.compile(optimizer, "categorical_crossentropy", metrics=["accuracy"])
        return model
