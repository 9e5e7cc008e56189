"""Adapters of ``KerasTrial`` and ``KerasFunctionalTrial``, which compile the model.

These trials have one dict of metrics for training and one for validation; a name may be in both.
Keras has one list of metrics. Each metric therefore gets a unique internal name, which reports
replace by the name in the dict.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pedl._adapter import AdaptedTrial, location
from pedl.old_models import optimizer_of
from pedl2det_legacy.keras_trials import DatasetAdapter, named_metric
from pedl2det_legacy.numpy_functions import elementwise_mean
from pedl2det_legacy.standalone_losses import standalone_losses
from pedl2det_runtime.api.generation import Generation, Kind, Metrics
from pedl2det_runtime.api.trial_info import current
from pedl2det_runtime.data.loaders import as_data, is_dataset
from pedl2det_runtime.errors import CheckFailedError
from pedl2det_runtime.errors.repeated_warnings import logger
from pedl2det_runtime.semantics.early_data import KerasDataAdapter

_log = logger(__name__)


@dataclass(frozen=True)
class _Metric:
    kind: Kind
    name: str  #: in reports
    value: Any  #: what the trial returns for it
    internal: str  #: its unique name in Keras


class AdaptedKerasTrial(AdaptedTrial):
    """The adapter of a ``KerasTrial``."""

    def build_model(self) -> Any:
        """Return the model, compiled with the trial's optimizer, losses and metrics."""
        model = self.context.wrap_model(self._call(self._legacy.build_model))
        self._outputs = list(model.output_names or ())  # None for a subclassed model
        # All may draw random numbers: the order is that of the arguments.
        optimizer = optimizer_of(self._legacy.optimizer())
        loss = standalone_losses(self._loss())
        self._metrics = [*self._metrics_of("training"), *self._metrics_of("validation")]
        self._check_metrics()
        model.compile(optimizer=optimizer, loss=loss, metrics=self._compiled_metrics())
        self._legacy.model = model
        self._legacy.validation_data_adapter = self._adapter(self.build_validation_data_loader())
        return model

    def build_training_data_loader(self) -> Any:
        """Return the training data; slice a ``BatchLoader`` into batches of ``batch_size()``."""
        return self._as_batches(super().build_training_data_loader())

    def build_validation_data_loader(self) -> Any:
        """Return the validation data; slice a ``BatchLoader`` into batches of ``batch_size()``."""
        return self._as_batches(super().build_validation_data_loader())

    @property
    def api_generation(self) -> Generation:
        """Training semantics of PEDL, with the metrics of this trial."""
        own = getattr(self._legacy, "compute_validation_metrics", None)
        validate = self._validate if callable(own) else None
        return replace(super().api_generation, reported=self._reported, validate=validate)

    def _loss(self) -> Any:
        return self._legacy.loss()

    def _metrics_of(self, kind: Kind) -> list[_Metric]:
        """Call ``training_metrics`` or ``validation_metrics``.

        Raises:
            CheckFailedError: the result is not a dict.
        """
        named = getattr(self._legacy, f"{kind}_metrics")()
        if not isinstance(named, dict):
            self._fail(
                kind, f"expected a dict of metrics by name, got {named!r}: return {{}} for none"
            )
        return [
            _Metric(kind, name, value, f"{kind}_metric_{number}")
            for number, (name, value) in enumerate(named.items())
        ]

    def _check_metrics(self) -> None:
        values = (metric.value for metric in self._metrics)
        parts = [part for each in values for part in (each if isinstance(each, tuple) else (each,))]
        objects = [id(part) for part in parts if hasattr(part, "reset_state")]
        if len(objects) != len(set(objects)):
            self._fail(
                "validation",
                "training_metrics and validation_metrics use the same metric object twice, which "
                "would count both: create two objects",
            )

    def _fail(self, kind: Kind, problem: str) -> None:
        method = getattr(self._legacy, f"{kind}_metrics")
        raise CheckFailedError(f"{location(method)}: {problem}")

    def _compiled_metrics(self) -> Any:
        if len(self._outputs) > 1 and self._metrics:
            each = ", ".join(f"{output}_{self._metrics[0].name}" for output in self._outputs)
            _log.warning("each output reports its own metrics, with its name as prefix: %s", each)
            asked = current().config.searcher.metric
            if ("validation", asked) in [(metric.kind, metric.name) for metric in self._metrics]:
                raise CheckFailedError(
                    f"searcher.metric: the model has several outputs, so {asked} is reported for "
                    f"each of them, with the prefix {'_ or '.join(self._outputs)}_: add one of "
                    "these prefixes"
                )
        return [self._compiled(metric, metric.value) for metric in self._metrics]

    def _compiled(self, metric: _Metric, value: Any) -> Any:
        """Return a Keras metric.

        Raises:
            CheckFailedError: the metric's reducer over batches is not the mean.
        """
        if isinstance(value, tuple) and value[1:] not in ((elementwise_mean,), (np.mean,)):
            reducers = ", ".join(getattr(part, "__name__", repr(part)) for part in value[1:])
            self._fail(
                metric.kind,
                f"the reducer of a metric must be elementwise_mean or np.mean, got {reducers}: "
                "compute other metrics in compute_validation_metrics",
            )
        return named_metric(metric.internal, value)

    def _reported(self, kind: Kind, metrics: Metrics) -> Metrics:
        """Return the metrics of a role by their names in reports, and the loss."""
        reported = {"loss": metrics["loss"]} if kind == "training" and "loss" in metrics else {}
        for internal, value in metrics.items():
            for metric in self._metrics:
                output = internal.removesuffix(metric.internal)
                is_its = not output or (output != internal and output.endswith("_"))
                if metric.kind == kind and is_its:
                    reported[self._name(output, metric.name)] = value
        if kind == "validation":
            reported.setdefault("loss", metrics["loss"])
        return reported

    def _name(self, output: str, name: str) -> str:
        """Return the name in reports, with the output's name as prefix if there are several."""
        return output + name if len(self._outputs) > 1 else name

    def _validate(self, batches: int) -> Metrics:
        step = batches // current().config.report_period
        computed = self._legacy.compute_validation_metrics(step)
        metrics = computed.get("validation_metrics") if isinstance(computed, dict) else None
        if not isinstance(metrics, dict):
            raise CheckFailedError(
                "compute_validation_metrics: expected a dict with validation_metrics, "
                f"got {computed!r}"
            )
        return metrics

    def _adapter(self, loader: Any) -> Any:
        """Return validation data for a trial that reads them itself."""
        if isinstance(loader, KerasDataAdapter):
            return loader
        if is_dataset(loader):
            return DatasetAdapter(loader)
        is_arrays = isinstance(loader, tuple)
        return KerasDataAdapter(as_data(loader, self._legacy.batch_size()) if is_arrays else loader)

    def _as_batches(self, loader: Any) -> Any:
        is_records = hasattr(loader, "get_batch")
        return loader.batches(self._legacy.batch_size()) if is_records else loader


class AdaptedKerasFunctionalTrial(AdaptedKerasTrial):
    """The adapter of a ``KerasFunctionalTrial``, whose losses and metrics are per output."""

    def _loss(self) -> Any:
        return self._legacy.losses()

    def _compiled_metrics(self) -> Any:
        by_output: dict[str, list[Any]] = {}
        for metric in self._metrics:
            pair = metric.value
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                self._fail(
                    metric.kind, f"{metric.name}: expected a pair (output, metric), got {pair!r}"
                )
            if pair[0] not in self._outputs:
                self._fail(
                    metric.kind,
                    f"{metric.name}: the model has no output {pair[0]!r}: it has "
                    f"{', '.join(self._outputs)}",
                )
            by_output.setdefault(pair[0], []).append(self._compiled(metric, pair[1]))
        return by_output

    def _name(self, output: str, name: str) -> str:
        return name  # the metric belongs to one output
