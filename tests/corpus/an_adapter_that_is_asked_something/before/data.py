from pedl.frameworks.keras.data import KerasDataAdapter
from rows import rows


def make_data_loaders(experiment_config, hparams):
    train = KerasDataAdapter(rows('train'), workers=2)
    print(len(train))
    return train, rows('test')
