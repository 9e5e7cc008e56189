from pedl.frameworks.keras.data import InMemorySequence
from rows import read


def make_data_loaders(experiment_config, hparams):
    np = read('train')
    return InMemorySequence(np, np, hparams['batch_size']), InMemorySequence(np, np, hparams['batch_size'])
