import config
from rows import rows


def make_data_loaders(experiment_config, hparams):
    config.UNITS = 4
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
