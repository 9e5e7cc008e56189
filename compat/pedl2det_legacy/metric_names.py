"""Names of metrics in TensorFlow 1 and Keras 2.2."""

# `cosine` is none of them: its sign has changed.
_OLD_NAMES = (
    ("acc", "accuracy"),
    ("mae", "mean_absolute_error"),
    ("mse", "mean_squared_error"),
    ("mape", "mean_absolute_percentage_error"),
    ("msle", "mean_squared_logarithmic_error"),
    ("kld", "kullback_leibler_divergence", "kl_divergence"),
)
_OTHER_METRICS = (
    "binary_accuracy",
    "categorical_accuracy",
    "root_mean_squared_error",
)


def with_old_names(logs):
    """Return metrics by their names in TensorFlow 1 as well: `acc` is `accuracy`."""
    more = {}
    for name, value in (logs or {}).items():
        if name.endswith(_OTHER_METRICS):
            continue
        for words in _OLD_NAMES:
            for word in words:
                if name == word or name.endswith("_" + word):
                    before = name[: -len(word)]
                    for other in words:
                        if other != word:
                            more.setdefault(before + other, value)
    return {**more, **(logs or {})}
