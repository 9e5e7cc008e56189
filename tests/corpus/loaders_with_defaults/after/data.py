from rows import rows


def make_data_loaders(context, seed=4):
    return (
        rows("train", context.get_per_slot_batch_size()),
        rows("test", context.get_per_slot_batch_size()),
    )
