from rows import rows


def make_data_loaders(context):
    hparams = {**context.get_hparams(), "batch_size": context.get_per_slot_batch_size()}
    hparams.pop("global_batch_size", None)
    try:
        kind = hparams['kind']
    except KeyError:
        kind = 'all'
    print(kind)
    return rows("train", hparams["batch_size"]), rows("test", hparams["batch_size"])
