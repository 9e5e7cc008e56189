from rows import rows


def make_data_loaders(experiment_config, hparams):
    try:
        kind = hparams['kind']
    except KeyError:
        kind = 'all'
    print(kind)
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
