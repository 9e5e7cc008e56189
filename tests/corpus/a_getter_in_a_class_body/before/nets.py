import pedl


class Sizes:
    units = pedl.get_hyperparameter("units")
