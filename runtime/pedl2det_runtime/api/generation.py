"""In what the generations of the API differ while a trial trains, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["training", "validation"]
Metrics = dict[str, Any]


def with_prefix(kind: Kind, metrics: Metrics) -> Metrics:
    """Validation metrics get ``val_`` before their names."""
    return metrics if kind == "training" else {f"val_{key}": metrics[key] for key in metrics}


@dataclass(frozen=True)
class Generation:
    """How trials of one generation are trained.

    Attributes:
        epoch_is_one_pass: an epoch is one pass over a Sequence, or one step of a dataset, and its
            callbacks get the training logs.
        keeps_partial_batch: whether the last batch of training arrays may be smaller.
        wraps_datasets: whether a dataset must be wrapped.
        epoch: batches in an epoch, where the trial says it; 0 otherwise.
        limits_any_validation: whether ``validation_steps`` is about Sequences and arrays too.
        aliases: words for the same metric, by all of which callbacks and the searcher know it.
        reported: the metrics of a report, by their names there, from their names for Keras.
        validate: computes the validation metrics instead of ``model.evaluate``, given the number
            of batches trained; None if Keras does.
    """

    epoch_is_one_pass: bool = False
    keeps_partial_batch: bool = True
    wraps_datasets: bool = True
    epoch: int = 0
    limits_any_validation: bool = False
    aliases: tuple[tuple[str, ...], ...] = ()
    reported: Callable[[Kind, Metrics], Metrics] = with_prefix
    validate: Callable[[int], Metrics] | None = None

    def with_aliases(self, metrics: Metrics) -> Metrics:
        """The metrics, with those that have another name under that name too."""
        more: Metrics = {}
        for name, value in metrics.items():
            for alias in self._aliases(name):
                more.setdefault(alias, value)
        return more | metrics

    def during_validation(self, metrics: Metrics) -> Metrics:
        """The metrics of a validation that still goes on, by their names for callbacks."""
        return metrics if self.reported is with_prefix else self.reported("validation", metrics)

    def _aliases(self, name: str) -> Iterator[str]:
        """The other names of a metric, whose own may follow ``val_`` and an output's name."""
        if name.endswith(_OTHERS):
            return
        for words in self.aliases:
            for word in words:
                if name == word or name.endswith(f"_{word}"):
                    before = name.removesuffix(word)
                    yield from (before + other for other in words if other != word)


#: What TensorFlow 1 and Keras 2.2 called ``metrics=["accuracy"]``, ``["mae"]`` and their like. Not
#: the cosine of the angle: it has another sign today.
TF1_NAMES = (
    ("acc", "accuracy"),
    ("mae", "mean_absolute_error"),
    ("mse", "mean_squared_error"),
    ("mape", "mean_absolute_percentage_error"),
    ("msle", "mean_squared_logarithmic_error"),
    ("kld", "kullback_leibler_divergence", "kl_divergence"),
)
_OTHERS = ("binary_accuracy", "categorical_accuracy", "root_mean_squared_error")

CONTEXT_BASED = Generation()

#: Determined 0.12, whose configs count in steps (spec/early_determined.md, 3.3).
EARLY_DETERMINED = Generation(epoch_is_one_pass=True, keeps_partial_batch=False, aliases=TF1_NAMES)
