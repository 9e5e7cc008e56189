import pedl
from rows import rows


def make_data_loaders(experiment_config, hparams):
    return rows("train", hparams["batch_size"]), rows("test", pedl.get_trial_seed())
