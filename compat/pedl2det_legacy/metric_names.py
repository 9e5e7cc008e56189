"""Names of metrics in TensorFlow 1 and Keras 2.2."""

from pedl2det_names.keras import METRIC_NAMES, OTHER_METRICS


def with_old_names(logs):
    """Return metrics by their names in TensorFlow 1 as well: `acc` is `accuracy`."""
    more = {}
    for name, value in (logs or {}).items():
        if name.endswith(OTHER_METRICS):
            continue
        for words in METRIC_NAMES:
            for word in words:
                if name == word or name.endswith("_" + word):
                    before = name[: -len(word)]
                    for other in words:
                        if other != word:
                            more.setdefault(before + other, value)
    return {**more, **(logs or {})}
