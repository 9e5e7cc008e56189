from rows import rows


def make_data_loaders(context):
    size = context.get_per_slot_batch_size()
    return rows("train", size), \
        rows("test", size)
