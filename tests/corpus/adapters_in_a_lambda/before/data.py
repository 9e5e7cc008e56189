from pedl.frameworks.keras.data import KerasDataAdapter
from rows import rows


def make_data_loaders(experiment_config, hparams):
    adapted = lambda part: KerasDataAdapter(rows(part), workers=2)
    return adapted("train"), adapted("test")
