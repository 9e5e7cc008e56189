from rows import rows


def make_data_loaders(context):
    hparams = {**context.get_hparams(), "batch_size": context.get_per_slot_batch_size()}
    hparams.pop("global_batch_size", None)
    options = dict(**context.get_data_config(), **hparams)
    print(options)
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
