from rows import Rows


def make_data_loaders(context):
    train, test = Rows("train"), Rows("test")
    if context.get_data_config().get("fast"):
        # Four of them saturate the disk.
        context.configure_fit(workers=4)
    return train, test
