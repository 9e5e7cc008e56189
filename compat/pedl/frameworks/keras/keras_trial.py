"""``pedl.frameworks.keras.keras_trial``: trials of standalone Keras, and their adapters.

These trials have one dict of metrics for training and one for validation; a name may be in both.
Keras has one list of metrics. Each metric therefore gets a unique internal name, which reports
replace by the name in the dict.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

from pedl.frameworks.keras.tf_keras_trial import AdaptedTrial, TFKerasTrial, location
from pedl2det_legacy.keras_trials import by_output, data_adapter, named_metric
from pedl2det_legacy.standalone_keras import standalone_losses, standalone_optimizer
from pedl2det_runtime import refusals
from pedl2det_runtime.api.trial_info import current
from pedl2det_runtime.config.generation import Generation, Kind, Metrics
from pedl2det_runtime.errors import CheckFailedError


class AdaptedKerasTrial(AdaptedTrial):
    """The adapter of a ``KerasTrial``."""

    def build_model(self) -> Any:
        """Return the model, compiled with the trial's optimizer, losses and metrics."""
        model = self.context.wrap_model(self._call(self._legacy.build_model))
        self._outputs = list(model.output_names or ())  # None for a subclassed model
        # All may draw random numbers: the order is that of the arguments.
        optimizer = standalone_optimizer(self._legacy.optimizer())
        loss = standalone_losses(self._loss())
        self._roles = {kind: self._metrics_of(kind) for kind in ("training", "validation")}
        named = {
            f"{kind}_{name}": metric
            for kind, metrics in self._roles.items()
            for name, metric in metrics.items()
        }
        pairs = (each if isinstance(each, tuple) else (each,) for each in named.values())
        objects = [id(part) for pair in pairs for part in pair if hasattr(part, "reset_state")]
        try:
            if len(objects) > len(set(objects)):
                raise ValueError("two metrics are the same object, which would count both")
            metrics = self._compiled(named)
        except ValueError as error:
            raise CheckFailedError(f"{location(type(self._legacy))}: {error}") from None
        model.compile(optimizer=optimizer, loss=loss, metrics=metrics)
        self._legacy.model = model
        loader, size = self.build_validation_data_loader(), self._legacy.batch_size()
        self._legacy.validation_data_adapter = data_adapter(loader, size)
        return model

    @property
    def api_generation(self) -> Generation:
        """Training semantics of PEDL, with the metrics of this trial."""
        own = getattr(type(self._legacy), "compute_validation_metrics", None)
        validate = self._validate if callable(own) else None
        return replace(super().api_generation, reported=self._reported, validate=validate)

    def _loss(self) -> Any:
        return self._legacy.loss()

    def _compiled(self, named: dict[str, Any]) -> Any:
        return [named_metric(name, metric, self._loss) for name, metric in named.items()]

    def _metrics_of(self, kind: Kind) -> dict[str, Any]:
        method = getattr(self._legacy, f"{kind}_metrics")
        metrics = method()
        if not isinstance(metrics, dict):
            raise CheckFailedError(
                f"{location(method)}: expected a dict of metrics by name, got {metrics!r}: return "
                "{} for none"
            )
        return metrics

    def _reported(self, kind: Kind, metrics: Metrics) -> Metrics:
        """Return the metrics of a role by their names in reports, and the loss."""
        reported = {"loss": metrics["loss"]} if kind == "training" and "loss" in metrics else {}
        for internal, value in metrics.items():
            for name in self._roles[kind]:
                output = internal.removesuffix(f"{kind}_{name}")
                if not output or output.removesuffix("_") in self._outputs:
                    reported[output + name] = value
        if kind == "validation":
            reported.setdefault("loss", metrics["loss"])
        return reported

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

    def _pair(self) -> Any:
        """Return the data; slice a ``BatchLoader`` into batches of ``batch_size()``."""
        size = self._legacy.batch_size
        pair = super()._pair()
        return [one.batches(size()) if hasattr(one, "get_batch") else one for one in pair]


class AdaptedKerasFunctionalTrial(AdaptedKerasTrial):
    """The adapter of a ``KerasFunctionalTrial``, whose losses and metrics are per output."""

    def _loss(self) -> Any:
        return self._legacy.losses()

    def _compiled(self, named: dict[str, Any]) -> Any:
        metrics = by_output(named, self._loss)
        if unknown := metrics.keys() - {*self._outputs}:
            raise ValueError(
                f"a metric is of the output {unknown.pop()!r}: the outputs are "
                f"{', '.join(self._outputs)}"
            )
        return metrics


class _KerasTrial(TFKerasTrial):
    """Base class of both kinds of Keras trials, which return a model that is not compiled."""

    model: Any  #: the compiled model; set after ``build_model``
    validation_data_adapter: Any  #: the validation data as a :class:`KerasDataAdapter`

    @abstractmethod
    def optimizer(self) -> Any:
        """Return the optimizer, or its name."""

    @abstractmethod
    def batch_size(self) -> int:
        """Return the number of records per batch of one process."""

    def training_metrics(self) -> dict[str, Any]:
        """Return the metrics of training batches, by their names in reports."""
        return {}

    @abstractmethod
    def validation_metrics(self) -> dict[str, Any]:
        """Return the metrics of validation batches, by their names in reports."""


class KerasTrial(_KerasTrial):
    """A trial with one loss, for a model with one output.

    Define ``compute_validation_metrics(step_id)`` to compute the validation metrics yourself. It
    returns ``{"num_inputs": n, "validation_metrics": {name: value}}``.
    """

    _adapter = AdaptedKerasTrial

    @abstractmethod
    def loss(self) -> Any:
        """Return the loss: a function of targets and predictions, or its name."""


class KerasFunctionalTrial(_KerasTrial):
    """A trial for a model with named inputs and outputs.

    The values of ``training_metrics`` and ``validation_metrics`` are pairs ``(output, metric)``.
    """

    _adapter = AdaptedKerasFunctionalTrial

    @abstractmethod
    def losses(self) -> dict[str, Any]:
        """Return the loss of each output, by output name."""


refusals.complete(__name__)
