from pedl.frameworks.keras.data import KerasDataAdapter
from rows import rows


def make_data_loaders(experiment_config, hparams):
    if experiment_config["data"]["fast"]:
        return KerasDataAdapter(rows("train"), workers=4), rows("test")
    return KerasDataAdapter(rows("train"), workers=1), rows("test")
