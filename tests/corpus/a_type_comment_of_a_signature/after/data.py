from rows import rows


def make_data_loaders(context):
    return (
        rows("train", context.get_per_slot_batch_size()),
        rows("test", context.get_per_slot_batch_size()),
    )
