"""Asked for once, while the trial is imported."""

import legacy_keras
from legacy_keras import get_hyperparameters

BATCH_SIZE = legacy_keras.get_hyperparameter("batch_size")
UNITS = get_hyperparameters()["units"]
DATA = legacy_keras.get_experiment_config().get("data", {})
SEED = legacy_keras.get_trial_seed()
NAME = "%d-%d" % (legacy_keras.get_experiment_id(), legacy_keras.get_trial_id())
