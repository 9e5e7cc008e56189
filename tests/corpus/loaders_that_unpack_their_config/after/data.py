from rows import rows

import legacy_keras


def make_data_loaders(context):
    options = dict(**context.get_data_config(), **legacy_keras.get_hyperparameters())
    print(options)
    return (
        rows("train", context.get_per_slot_batch_size()),
        rows("test", context.get_per_slot_batch_size()),
    )
