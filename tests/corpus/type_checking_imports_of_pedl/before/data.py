from typing import TYPE_CHECKING

from rows import rows

if TYPE_CHECKING:
    from pedl.frameworks.keras.data import KerasDataAdapter


def load(part) -> "KerasDataAdapter":
    return rows(part)


def make_data_loaders(experiment_config, hparams):
    return load("train"), load("test")
