from pedl.frameworks.keras.data import KerasDataAdapter
from rows import rows


def make_data_loaders(experiment_config, hparams):
    return tuple(KerasDataAdapter(rows(part), workers=2) for part in ("train", "test"))
