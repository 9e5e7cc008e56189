"""Asked for once, while the trial is imported."""

import pedl
from pedl.util import get_hyperparameters

BATCH_SIZE = pedl.get_hyperparameter("batch_size")
UNITS = get_hyperparameters()["units"]
DATA = pedl.get_experiment_config().get("data", {})
SEED = pedl.get_trial_seed()
NAME = "%d-%d" % (pedl.get_experiment_id(), pedl.get_trial_id())
