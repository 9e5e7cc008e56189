import pedl

UNITS = int(pedl.get_hyperparameter("units"))
