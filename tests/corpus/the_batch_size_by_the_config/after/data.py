from rows import rows


def make_data_loaders(context):
    print(context.get_experiment_config()["hyperparameters"]["global_batch_size"])
    return (
        rows("train", context.get_per_slot_batch_size()),
        rows("test", context.get_per_slot_batch_size()),
    )
