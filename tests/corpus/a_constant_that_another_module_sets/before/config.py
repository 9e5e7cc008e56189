import pedl

UNITS = pedl.get_hyperparameter("units")
