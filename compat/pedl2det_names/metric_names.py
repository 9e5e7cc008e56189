"""Names of metrics that differ between TensorFlow 1 and today's Keras."""

from __future__ import annotations

#: Groups of names of the same metric. TensorFlow 1 reported another name than the compiled one.
METRIC_NAMES = (
    ("acc", "accuracy"),
    ("mae", "mean_absolute_error"),
    ("mse", "mean_squared_error"),
    ("mape", "mean_absolute_percentage_error"),
    ("msle", "mean_squared_logarithmic_error"),
    ("kld", "kullback_leibler_divergence", "kl_divergence"),
)

#: Other metrics whose names end with one of these names.
OTHER_METRICS = ("binary_accuracy", "categorical_accuracy", "root_mean_squared_error")
