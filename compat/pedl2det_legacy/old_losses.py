"""How masks, sample weights and regularizers of activities entered the loss in older Keras."""

import importlib

import tensorflow as tf

from pedl2det_legacy.old_layers import replace, replace_in_bases


def use_old_masks():
    """Divide the loss of a masked output by all of its steps, as Keras did before 2.10.

    Since then it is divided by the steps that the mask leaves.
    """
    replace(_module("utils.losses_utils"), "apply_valid_mask", with_all_steps)


def with_all_steps(apply_valid_mask):
    """Return a function that gives the weights of a loss without a correction for its mask."""

    def apply_mask(losses, weights, mask, reduction):
        return apply_valid_mask(losses, weights, mask, tf.keras.losses.Reduction.NONE)

    return apply_mask


def use_old_sample_weights():
    """Divide a weighted loss by the share of weights that are not 0, as standalone Keras did."""
    container = _module("engine.compile_utils").LossesContainer
    replace(container, "__call__", with_share_of_weights)


def with_share_of_weights(compute):
    """Return a method that computes losses with weights that are corrected for those of 0."""

    def compute_weighted(self, y_true, y_pred, sample_weight=None, **options):
        weights = tf.nest.map_structure(_over_share, sample_weight)
        return compute(self, y_true, y_pred, weights, **options)

    return compute_weighted


def _over_share(weights):
    if weights is None:
        return None
    weights = tf.cast(weights, tf.keras.backend.floatx())
    return weights / tf.reduce_mean(tf.cast(tf.not_equal(weights, 0.0), weights.dtype))


def _module(path):
    package = tf.keras.Model.__module__.partition(".engine.")[0]
    return importlib.import_module(f"{package}.{path}")


def sum_activity_regularizers():
    """Add what a regularizer of activities gives for a whole batch, as standalone Keras did.

    `tf.keras` divides it by the size of the batch.
    """
    replace_in_bases("_handle_activity_regularization", with_whole_batches)


def with_whole_batches(_):
    """Return a method that adds the losses of a layer's outputs."""

    def add_losses(self, inputs, outputs):
        if self._activity_regularizer:
            for output in tf.nest.flatten(outputs):
                self.add_loss(self._activity_regularizer(output))

    return add_losses
