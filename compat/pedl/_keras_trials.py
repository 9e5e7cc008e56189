"""Adapters of ``KerasTrial`` and ``KerasFunctionalTrial``, which compile the model.

These trials have one dict of metrics for training and one for validation; a name may be in both.
Keras has one list of metrics. Each metric therefore gets a unique internal name, which reports
replace by the name in the dict.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pedl._adapter import AdaptedTrial
from pedl._calls import call_with_accepted, location
from pedl.data import BatchLoader
from pedl.frameworks.keras.data import KerasDataAdapter
from pedl.frameworks.util import elementwise_mean
from pedl.old_models import optimizer_of
from pedl2det_legacy.keras_trials import DatasetAdapter, named_metric
from pedl2det_legacy.standalone_losses import standalone_losses
from pedl2det_runtime.api.generation import Generation, Kind, Metrics
from pedl2det_runtime.api.trial_info import current
from pedl2det_runtime.data.loaders import as_data, is_dataset
from pedl2det_runtime.errors import CheckFailedError
from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)


class AdaptedKerasTrial(AdaptedTrial):
    """The adapter of a ``KerasTrial``."""

    def build_model(self) -> Any:
        """Return the model, compiled with the trial's optimizer, losses and metrics."""
        built = call_with_accepted(self._legacy.build_model, hparams=self._hparams)
        model = self.context.wrap_model(built)
        self._outputs = list(model.output_names or ())  # None for a subclassed model
        # All may draw random numbers: the order is that of the arguments.
        optimizer = optimizer_of(self._legacy.optimizer())
        loss = standalone_losses(self._loss())
        roles = self._by_role()
        self._reported_as = {
            (kind, _internal(kind, number)): name
            for kind, named in roles.items()
            for number, name in enumerate(named)
        }
        model.compile(optimizer=optimizer, loss=loss, metrics=self._compiled_metrics(roles))
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

    def _by_role(self) -> dict[Kind, dict[str, Any]]:
        trial = self._legacy
        roles: dict[Kind, dict[str, Any]] = {
            "training": _checked_metrics(trial.training_metrics),
            "validation": _checked_metrics(trial.validation_metrics),
        }
        metrics = [metric for named in roles.values() for metric in named.values()]
        parts = [part for one in metrics for part in (one if isinstance(one, tuple) else (one,))]
        objects = [id(part) for part in parts if hasattr(part, "reset_state")]
        if len(objects) != len(set(objects)):
            raise CheckFailedError(
                f"{location(trial.validation_metrics)}: training_metrics and validation_metrics "
                "use the same metric object twice, which would count both: create two objects"
            )
        return roles

    def _compiled_metrics(self, roles: dict[Kind, dict[str, Any]]) -> Any:
        names = [name for named in roles.values() for name in named]
        if len(self._outputs) > 1 and names:
            each = ", ".join(f"{output}_{names[0]}" for output in self._outputs)
            _log.warning("each output reports its own metrics, with its name as prefix: %s", each)
            if current().config.searcher.metric in roles["validation"]:
                raise CheckFailedError(
                    f"searcher.metric: the model has several outputs, so "
                    f"{current().config.searcher.metric} is reported for each of them, with the "
                    f"prefix {'_ or '.join(self._outputs)}_: add one of these prefixes"
                )
        return [
            self._metric(kind, number, metric)
            for kind, named in roles.items()
            for number, metric in enumerate(named.values())
        ]

    def _metric(self, kind: Kind, number: int, metric: Any) -> Any:
        """Return a Keras metric.

        Raises:
            CheckFailedError: the metric's reducer over batches is not the mean.
        """
        if isinstance(metric, tuple) and metric[1:] not in ((elementwise_mean,), (np.mean,)):
            reducers = ", ".join(getattr(part, "__name__", repr(part)) for part in metric[1:])
            raise CheckFailedError(
                f"{location(getattr(self._legacy, f'{kind}_metrics'))}: the reducer of a metric "
                f"must be elementwise_mean or np.mean, got {reducers}: compute other metrics in "
                "compute_validation_metrics"
            )
        function = metric[0] if isinstance(metric, tuple) else metric
        return named_metric(_internal(kind, number), function)

    def _reported(self, kind: Kind, metrics: Metrics) -> Metrics:
        """Return the metrics of a role by their names in reports, and the loss."""
        reported = {}
        for internal, value in metrics.items():
            if internal == "loss" and kind == "training":
                reported["loss"] = value
            for (role, ending), name in self._reported_as.items():
                if role == kind and (internal == ending or internal.endswith(f"_{ending}")):
                    reported[self._name(internal.removesuffix(ending), name)] = value
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
        if isinstance(loader, BatchLoader):
            return loader.batches(self._legacy.batch_size())
        return loader


class AdaptedKerasFunctionalTrial(AdaptedKerasTrial):
    """The adapter of a ``KerasFunctionalTrial``, whose losses and metrics are per output."""

    def _loss(self) -> Any:
        return self._legacy.losses()

    def _compiled_metrics(self, roles: dict[Kind, dict[str, Any]]) -> Any:
        by_output: dict[str, list[Any]] = {}
        for kind, named in roles.items():
            for number, (name, pair) in enumerate(named.items()):
                self._check(kind, name, pair)
                by_output.setdefault(pair[0], []).append(self._metric(kind, number, pair[1]))
        return by_output

    def _check(self, kind: Kind, name: str, pair: Any) -> None:
        prefix = f"{location(getattr(self._legacy, f'{kind}_metrics'))}: {name}"
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise CheckFailedError(f"{prefix}: expected a pair (output, metric), got {pair!r}")
        if pair[0] not in self._outputs:
            raise CheckFailedError(
                f"{prefix}: the model has no output {pair[0]!r}: it has {', '.join(self._outputs)}"
            )

    def _name(self, output: str, name: str) -> str:
        return name  # the metric belongs to one output


def _checked_metrics(metrics: Callable[[], Any]) -> dict[str, Any]:
    """Call ``training_metrics`` or ``validation_metrics``.

    Raises:
        CheckFailedError: the result is not a dict.
    """
    named = metrics()
    if not isinstance(named, dict):
        raise CheckFailedError(
            f"{location(metrics)}: expected a dict of metrics by name, got {named!r}: return "
            "{} for none"
        )
    return named


def _internal(kind: Kind, number: int) -> str:
    return f"{kind}_metric_{number}"
