"""Functions that Keras and `tf.keras` have removed."""

import pickle

import tensorflow as tf


def load_batch(fpath, label_key="labels"):
    """Read one file of CIFAR: images (records, 3, 32, 32), and their labels."""
    with open(fpath, "rb") as file:
        batch = pickle.load(file, encoding="bytes")
    batch = {key.decode("utf8"): value for key, value in batch.items()}
    return batch["data"].reshape(len(batch["data"]), 3, 32, 32), batch[label_key]


def multi_gpu_model(model, gpus=None, cpu_merge=True, cpu_relocation=False):
    """Return the model: each process of a trial trains on one device."""
    return model


def remove_long_seq(maxlen, seq, label):
    """Leave out the sequences that have `maxlen` or more members, and their labels."""
    kept = [(one, its_label) for one, its_label in zip(seq, label) if len(one) < maxlen]
    return [one for one, _ in kept], [its_label for _, its_label in kept]


def legacy_interface(function=None, **options):
    """Return the function: it is called with the arguments of Keras 2 already."""
    return legacy_interface if function is None else function


def predict_classes(model, x, batch_size=32, verbose=0):
    """Return the class of each record, as Sequential.predict_classes did."""
    if hasattr(model, "predict_classes"):
        return model.predict_classes(x, batch_size=batch_size, verbose=verbose)
    return classes_of(model.predict(x, batch_size=batch_size, verbose=verbose))


def classes_of(scores):
    """Return the class of each record, from the scores of the classes."""
    if scores.shape[-1] > 1:
        return scores.argmax(axis=-1)
    return (scores > 0.5).astype("int32")


def predict_proba(model, x, *args, **kwargs):
    """Return the predictions, as Sequential.predict_proba did."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(x, *args, **kwargs)
    if len(args) < 2:
        kwargs.setdefault("verbose", 0)
    return model.predict(x, *args, **kwargs)


def expand_1d(data):
    """Return the data with tensors of one dimension as columns."""

    def column(tensor):
        is_flat = isinstance(tensor, tf.Tensor) and tensor.shape.rank == 1
        return tf.expand_dims(tensor, -1) if is_flat else tensor

    return tf.nest.map_structure(column, data)


def shuffled(dataset, seed):
    """Return a dataset in random order, anew in each pass over all of its records."""
    return dataset.shuffle(tf.data.UNKNOWN_CARDINALITY, seed=seed)


def scale_loss(optimizer, loss_scale="dynamic"):
    """Scale the loss as mixed_precision.experimental.LossScaleOptimizer did."""
    kind = tf.keras.mixed_precision.LossScaleOptimizer
    if loss_scale == "dynamic":
        return kind(optimizer)
    return kind(optimizer, dynamic=False, initial_scale=loss_scale)


def dimension(size):
    """Return the size of a dimension, which had an attribute `value` before TensorFlow 2."""
    return getattr(size, "value", size)


def optimizer(identifier):
    """Return what `compile(optimizer=identifier)` meant before Keras 2.11."""
    return tf.keras.optimizers.get(identifier, use_legacy_optimizer=True)
