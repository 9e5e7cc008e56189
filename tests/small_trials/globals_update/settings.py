"""Settings: the hyperparameters, and what local.json says instead."""
import json
import os

import pedl

UNITS = pedl.get_hyperparameter("units")
RATE = pedl.get_hyperparameter("lr")

_LOCAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "local.json")
if os.path.exists(_LOCAL):
    with open(_LOCAL) as file:
        globals().update(json.load(file))
