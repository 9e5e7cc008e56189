"""Training semantics of each API generation, as data (docs/semantics.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pedl2det_legacy.metric_names import with_old_names

Kind = Literal["training", "validation"]
Metrics = dict[str, Any]


def with_prefix(kind: Kind, metrics: Metrics) -> Metrics:
    """Prefix the names of validation metrics with ``val_``."""
    return metrics if kind == "training" else {f"val_{key}": metrics[key] for key in metrics}


@dataclass(frozen=True)
class Generation:
    """Training semantics of one API generation."""

    #: an epoch is one pass over a Sequence or one step of a dataset, and ``on_epoch_end`` gets the
    #: training logs
    epoch_is_one_pass: bool = False
    keeps_partial_batch: bool = True  #: whether to keep a smaller last batch of training arrays
    wraps_datasets: bool = True  #: whether datasets must be wrapped
    epoch: int = 0  #: batches per epoch if the trial sets it, else 0
    #: whether callbacks and the searcher may use the names of metrics in TensorFlow 1
    has_old_metric_names: bool = False
    #: maps metrics from the names in Keras to the names in reports
    reported: Callable[[Kind, Metrics], Metrics] = with_prefix
    #: computes the validation metrics from the number of trained batches; None to call
    #: ``model.evaluate``
    validate: Callable[[int], Metrics] | None = None

    def with_aliases(self, metrics: Metrics) -> Metrics:
        """Return the metrics, each also under its names in TensorFlow 1."""
        return dict(with_old_names(metrics) if self.has_old_metric_names else metrics)

    def during_validation(self, metrics: Metrics) -> Metrics:
        """Return the running metrics of a validation by their names for callbacks."""
        return metrics if self.reported is with_prefix else self.reported("validation", metrics)


CONTEXT_BASED = Generation()

#: Determined 0.12: the config is in steps.
EARLY_DETERMINED = Generation(
    epoch_is_one_pass=True, keeps_partial_batch=False, has_old_metric_names=True
)
