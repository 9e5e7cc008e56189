from rows import rows


def make_data_loaders(experiment_config, \
                      hparams):
    size = hparams \
        ["batch_size"]
    return rows("train", size), \
        rows("test", size)
