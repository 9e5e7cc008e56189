"""Settings of this experiment."""
import pedl
from tensorflow.keras import backend as K

K.set_floatx("float64")
K.set_epsilon(1e-3)

UNITS = pedl.get_hyperparameter("units")
