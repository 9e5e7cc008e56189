"""Hyperparameters that the whole model definition uses, asked for once."""
import pedl

BATCH_SIZE = pedl.get_hyperparameter("batch_size")
VALIDATION_FILE = pedl.get_experiment_config().get("data", {}).get("test", "iris_test.csv")
