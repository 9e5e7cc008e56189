from tensorflow import data as tfd
from tensorflow.data import Dataset as Made


def make_data_loaders(context):
    train = context.wrap_dataset(Made.from_generator(lambda: iter([1]), int))
    return train, context.wrap_dataset(tfd.TFRecordDataset('test'), shard_dataset=False)
