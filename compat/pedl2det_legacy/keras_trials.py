"""Metrics of a `KerasTrial`."""

import re

import tensorflow as tf

from pedl2det_legacy.data_adapter import KerasDataAdapter
from pedl2det_legacy.in_memory_sequence import InMemorySequence
from pedl2det_legacy.metrics_by_loss import loss_kind, metric_of_loss
from pedl2det_legacy.standalone_keras import standalone_losses


def named_metrics(trial):
    """Return the metrics of a KerasTrial for `compile`, by the names that are reported.

    A metric of the training gets `training_` before its name if the validation has
    another one of that name.
    """
    return [
        named_metric(name, metric, trial.loss)
        for name, metric in _merged(trial).items()
    ]


def named_metrics_by_output(trial):
    """Return the metrics of a KerasFunctionalTrial for `compile`, by outputs."""
    return by_output(_merged(trial), trial.losses)


def by_output(metrics, losses):
    """Return metrics for `compile`, from pairs of an output and a metric.

    The function gives the losses of all outputs.
    """
    named: dict = {}
    for name, pair in metrics.items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ValueError(
                f"metric {name}: expected a pair (output, metric), got {pair!r}"
            )
        output, metric = pair
        made = named_metric(name, metric, lambda output=output: losses()[output])
        metric = reported_as(name, made)
        named.setdefault(output, []).append(metric)
    return named


def reported_as(name, metric):
    """Have a metric keep its name, before which Keras puts that of the output."""
    members = {"name": property(lambda _: name)}
    kind = type(type(metric).__name__, (type(metric),), members)
    object.__setattr__(metric, "__class__", kind)
    return metric


def metrics_from(trial, method):
    """Return what a method of a trial gives, which only its class is asked for; else none."""
    return getattr(trial, method)() if hasattr(type(trial), method) else {}


def _merged(trial):
    training: dict = metrics_from(trial, "training_metrics")
    trial._training_metrics = training  # with_epoch_logs asks for them
    validation: dict = metrics_from(trial, "validation_metrics")
    merged = {}
    for name, metric in validation.items():  # before which Keras puts val_
        bare = re.sub("^val_", "", name)
        is_twice = bare == "loss" or (bare != name and bare in validation)
        merged[f"val_{bare}" if is_twice else bare] = metric
    for name, metric in training.items():
        is_other = merged.get(name, metric) != metric
        merged[f"training_{name}" if is_other else name] = metric
    first = [name for name in merged if name.replace("training_", "", 1) in training]
    return {name: merged[name] for name in (*first, *merged)}


def named_metric(name, metric, loss):
    """Return a metric of a KerasTrial for `compile`: an object, a function or a name.

    The function `loss` gives its loss, to which the accuracy belongs.
    """
    if isinstance(metric, tuple):  # a metric, and how it is reduced over batches
        metric, reducer = metric
        if getattr(reducer, "__name__", "") not in ("elementwise_mean", "mean"):
            raise ValueError(
                f"metric {name}: it must be reduced by its mean: {reducer!r}"
            )
    if isinstance(metric, tf.keras.metrics.Metric):
        metric._name = name
        return metric
    if metric in ("accuracy", "acc"):
        function = metric_of_loss("accuracy", loss_kind(loss()) or "categorical")
    else:
        function = tf.keras.metrics.get(standalone_losses(metric))
    return tf.keras.metrics.MeanMetricWrapper(function, name=name)


def data_adapter(loader, batch_size):
    """Return the data of a loader for a trial that reads them like a KerasDataAdapter."""
    if hasattr(loader, "get_iterator"):
        return loader
    if isinstance(loader, tf.data.Dataset):
        return DatasetAdapter(loader)
    if isinstance(loader, tuple):
        loader = InMemorySequence(*loader[:2], batch_size)
    elif hasattr(loader, "get_batch"):
        loader = loader.batches(batch_size)
    return KerasDataAdapter(loader)


class DatasetAdapter:
    """A dataset that is read like a KerasDataAdapter."""

    def __init__(self, dataset):
        self._dataset = dataset

    def start(self, *args, **kwargs):
        """Nothing to do: a dataset has no workers."""

    stop = start

    def get_iterator(self):
        """Return the batches of one pass, as arrays."""
        return iter(self._dataset.as_numpy_iterator())
