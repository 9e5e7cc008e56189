from rows import rows


def make_data_loaders(experiment_config, hparams):
    return rows("训练🌸", hparams["batch_size"]), rows("test", hparams["batch_size"])
