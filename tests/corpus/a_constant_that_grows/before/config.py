import pedl

UNITS = pedl.get_hyperparameter("units")
UNITS += 1
