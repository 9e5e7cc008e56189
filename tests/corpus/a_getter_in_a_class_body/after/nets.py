import legacy_keras


class Sizes:
    units = legacy_keras.get_hyperparameter("units")
