"""Names of metrics that Keras reports otherwise than TensorFlow 1 did."""

from __future__ import annotations

#: Names of one metric each; TensorFlow 1 reported another one than was asked for.
METRIC_NAMES = (
    ("acc", "accuracy"),
    ("mae", "mean_absolute_error"),
    ("mse", "mean_squared_error"),
    ("mape", "mean_absolute_percentage_error"),
    ("msle", "mean_squared_logarithmic_error"),
    ("kld", "kullback_leibler_divergence", "kl_divergence"),
)

#: Names of other metrics that end alike.
OTHER_METRICS = ("binary_accuracy", "categorical_accuracy", "root_mean_squared_error")
