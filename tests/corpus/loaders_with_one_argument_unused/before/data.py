from rows import rows


def make_data_loaders(_, hp):
    return rows("train", hp["batch_size"]), rows("test", hp["batch_size"])
