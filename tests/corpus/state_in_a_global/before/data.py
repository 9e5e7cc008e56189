from rows import rows

CALLS = 0


def make_data_loaders(experiment_config, hparams):
    global CALLS
    CALLS += 1
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
