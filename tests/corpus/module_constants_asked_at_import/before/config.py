import pedl

UNITS = pedl.get_hyperparameter("units")  # of the only layer
SEED = 3
