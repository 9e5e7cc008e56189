"""The metrics of training that callbacks got before TensorFlow 2.

The loss was that of the batch, and in an epoch's end that of the epoch; other metrics were counted
since the epoch began. Determined counts all of them since its last report.
"""

import tensorflow as tf


def metric_sums(model):
    """Return the sum and the weight of each metric that is a mean, by name; none in graph mode."""
    if not tf.compat.v1.executing_eagerly_outside_functions():
        return {}
    means = [each for each in model.metrics if isinstance(each, tf.keras.metrics.Mean)]
    return {each.name: (float(each.total), float(each.count)) for each in means}


def add_batch(of_epoch, before, after):
    """Add a batch to the sums of its epoch, and return the metrics for the hooks of a batch.

    `before` and `after` are the model's sums around the batch.
    """
    logs = {}
    for name, (total, weight) in after.items():
        old_total, old_weight = before.get(name, (0.0, 0.0))
        if weight > old_weight:
            of_batch = total - old_total, weight - old_weight
            sums = of_epoch.get(name, (0.0, 0.0))
            of_epoch[name] = sums[0] + of_batch[0], sums[1] + of_batch[1]
            if name == "loss" or name.endswith("_loss"):
                logs[name] = of_batch[0] / of_batch[1]
    return {**epoch_means(of_epoch), **logs}


def epoch_means(of_epoch):
    """Return the metrics since an epoch began, of its sums."""
    return {name: total / weight for name, (total, weight) in of_epoch.items()}
