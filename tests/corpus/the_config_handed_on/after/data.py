from rows import rows

import legacy_keras


def make_data_loaders(context):
    report(legacy_keras.get_experiment_config())
    return (
        rows("train", context.get_per_slot_batch_size()),
        rows("test", context.get_per_slot_batch_size()),
    )
