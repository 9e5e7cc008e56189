from pedl.frameworks.keras.data import KerasDataAdapter
from rows import Rows


def make_data_loaders(experiment_config, hparams):
    train, test = Rows("train"), Rows("test")
    if experiment_config.get("data", {}).get("fast"):
        # Four of them saturate the disk.
        train = KerasDataAdapter(train, workers=4)
    return train, test
