import legacy_keras


class Sizes:
    @classmethod
    def units(cls):
        return legacy_keras.get_hyperparameter("units")
