from rows import rows


def make_data_loaders(experiment_config, hparams):
    options = dict(**experiment_config["data"], **hparams)
    print(options)
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
