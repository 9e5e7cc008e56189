from rows import rows


def make_data_loaders(context):
    train = rows('train', context.get_per_slot_batch_size())
    test = rows('test', context.get_per_slot_batch_size())
    return train, test
