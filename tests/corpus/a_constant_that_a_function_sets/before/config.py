import pedl

UNITS = pedl.get_hyperparameter("units")


def grow():
    global UNITS
    UNITS += 1
