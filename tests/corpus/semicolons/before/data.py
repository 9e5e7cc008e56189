from rows import rows


def make_data_loaders(experiment_config, hparams):
    train = rows('train', hparams['batch_size']); test = rows('test', hparams['batch_size'])
    return train, test
