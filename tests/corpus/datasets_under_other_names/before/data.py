from pedl.frameworks.keras import wrap_dataset
from tensorflow import data as tfd
from tensorflow.data import Dataset as Made


def make_data_loaders(experiment_config, hparams):
    train = wrap_dataset(Made.from_generator(lambda: iter([1]), int))
    return train, tfd.TFRecordDataset('test')
