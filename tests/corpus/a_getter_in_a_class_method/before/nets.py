import pedl


class Sizes:
    @classmethod
    def units(cls):
        return pedl.get_hyperparameter("units")
