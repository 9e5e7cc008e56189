"""Settings."""
import pedl

RATE = pedl.get_hyperparameter("lr")
