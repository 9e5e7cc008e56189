from pedl.frameworks.keras.data import KerasDataAdapter as Adapter
from rows import rows


def make_data_loaders(experiment_config, hparams):
    return Adapter(rows('train'), True, 4, 20), Adapter(sequence=rows('test'))
