from rows import rows


def make_data_loaders(experiment_config, hparams):
    print(experiment_config.get("batches_per_step", 100))
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
