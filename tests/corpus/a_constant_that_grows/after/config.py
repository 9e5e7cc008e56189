import legacy_keras

UNITS = legacy_keras.get_hyperparameter("units")
UNITS += 1
