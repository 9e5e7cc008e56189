"""Settings; all are hyperparameters."""
import pedl

UNITS = pedl.get_hyperparameter("units")
NOISE = pedl.get_hyperparameter("noise")
