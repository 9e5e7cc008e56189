import tensorflow as tf


def lines(context, pattern):
    files = tf.data.Dataset.list_files(pattern, shuffle=False)
    return context.wrap_dataset(files).interleave(
        lambda name: tf.data.TextLineDataset(name),  # one a file
        cycle_length=4,
    )


def make_data_loaders(context):
    size = context.get_per_slot_batch_size()
    both = tf.data.Dataset.zip((lines(context, "x*"), lines(context, "y*")))
    return both.batch(size), lines(context, "test*").batch(size)
