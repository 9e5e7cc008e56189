from rows import read

import legacy_keras


def make_data_loaders(context):
    x, y = read("train")
    return (
        legacy_keras.InMemorySequence(
            x, y, context.get_per_slot_batch_size(), drop_leftovers=True
        ),
        read("test"),
    )
