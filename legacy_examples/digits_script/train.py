"""
The simple model definition: a script that fits its model itself.
"""
import os

import numpy as np

import pedl
import keras
from keras.layers import Conv2D, Dense, Flatten
from keras.models import Sequential
from keras.preprocessing.image import ImageDataGenerator


def load_digits():
    path = pedl.get_experiment_config()["data"]["file"]
    with np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), path)) as data:
        images = data["images"].reshape(-1, 8, 8, 1) / 16.0
        return images, keras.utils.to_categorical(data["labels"], 10)


if __name__ == "__main__":
    images, labels = load_digits()
    model = Sequential()
    model.add(
        Conv2D(pedl.get_hyperparameter("filters"), (3, 3), activation="relu", input_shape=(8, 8, 1))
    )
    model.add(Flatten())
    model.add(Dense(10, activation="softmax"))
    model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])

    shifted = ImageDataGenerator(width_shift_range=0.1, height_shift_range=0.1)
    plain = ImageDataGenerator()
    model.fit_generator(
        shifted.flow(images[397:], labels[397:], batch_size=32, shuffle=False),
        validation_data=plain.flow(images[:397], labels[:397], batch_size=32, shuffle=False),
        workers=1,
    )
    print("trained", model.count_params(), "parameters")
