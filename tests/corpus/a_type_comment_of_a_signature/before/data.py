from rows import rows


def make_data_loaders(experiment_config, hparams):
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
