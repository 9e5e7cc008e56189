"""Training semantics of each API generation, as data (docs/semantics.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["training", "validation"]
Metrics = dict[str, Any]


def with_prefix(kind: Kind, metrics: Metrics) -> Metrics:
    """Prefix the names of validation metrics with ``val_``."""
    return metrics if kind == "training" else {f"val_{key}": metrics[key] for key in metrics}


@dataclass(frozen=True)
class Generation:
    """Training semantics of one API generation.

    Attributes:
        epoch_is_one_pass: an epoch is one pass over a Sequence or one step of a dataset, and
            ``on_epoch_end`` gets the training logs.
        keeps_partial_batch: whether to keep a smaller last batch of training arrays.
        wraps_datasets: whether datasets must be wrapped.
        epoch: batches per epoch if the trial sets it, else 0.
        limits_any_validation: whether ``validation_steps`` applies to Sequences and arrays too.
        aliases: groups of names of the same metric. Callbacks and the searcher may use any of them.
        reported: maps metrics from the names in Keras to the names in reports.
        validate: computes the validation metrics from the number of trained batches; None to call
            ``model.evaluate``.
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
        """Return the metrics, each also under its aliases."""
        more: Metrics = {}
        for name, value in metrics.items():
            for alias in self._aliases(name):
                more.setdefault(alias, value)
        return more | metrics

    def during_validation(self, metrics: Metrics) -> Metrics:
        """Return the running metrics of a validation by their names for callbacks."""
        return metrics if self.reported is with_prefix else self.reported("validation", metrics)

    def _aliases(self, name: str) -> Iterator[str]:
        """Yield the aliases of a metric; keep a prefix such as ``val_`` or an output's name."""
        if name.endswith(_OTHERS):
            return
        for words in self.aliases:
            for word in words:
                if name == word or name.endswith(f"_{word}"):
                    before = name.removesuffix(word)
                    yield from (before + other for other in words if other != word)


#: Names of the same metric in TensorFlow 1, Keras 2.2 and today. ``cosine`` is not an alias:
#: its sign has changed.
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

#: Determined 0.12: the config is in steps.
EARLY_DETERMINED = Generation(epoch_is_one_pass=True, keeps_partial_batch=False, aliases=TF1_NAMES)
