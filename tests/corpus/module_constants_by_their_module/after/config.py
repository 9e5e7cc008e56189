import legacy_keras

UNITS = int(legacy_keras.get_hyperparameter("units"))
