"""``KerasTrial`` and ``KerasFunctionalTrial`` for the controller, which compiles them here.

Their metrics are dicts by name and by role: some are computed on training batches, some on
validation batches, and a name may stand in both. Keras has one list, so each gets a name of its own
there, and its name in the dict back when it is reported.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import numpy as np

from pedl._adapter import AdaptedTrial
from pedl._calls import called, place
from pedl._keras_data import CutBatches, adapter_of
from pedl._keras_metrics import as_metric, named_metrics
from pedl.data import BatchLoader
from pedl.frameworks.util import elementwise_mean
from pedl.old_models import by_old_names, optimizer_of
from pedl2det_runtime.api.generation import Generation, Kind, Metrics
from pedl2det_runtime.api.trial_info import current
from pedl2det_runtime.errors import CheckFailedError

_log = logging.getLogger(__name__)


class AdaptedKerasTrial(AdaptedTrial):
    """Compiles the model that a ``KerasTrial`` builds, and reports by its names."""

    def build_model(self) -> Any:
        """The model, compiled with the trial's optimizer, losses and metrics."""
        import tensorflow as tf

        model = self.context.wrap_model(called(self._legacy.build_model, hparams=self._hparams))
        self._outputs = list(model.output_names or ())  # a subclass learns them late
        roles = self._by_role()
        self._reported_as = {
            (kind, _internal(kind, number)): name
            for kind, named in roles.items()
            for number, name in enumerate(named)
        }
        model.compile(
            optimizer=optimizer_of(self._legacy.optimizer()),
            loss=by_old_names(tf, self._loss()),
            metrics=self._compiled_metrics(roles),
        )
        self._legacy.model = model
        self._legacy.validation_data_adapter = adapter_of(
            self.build_validation_data_loader(), self._legacy.batch_size
        )
        return model

    def build_training_data_loader(self) -> Any:
        """The training data as batches; loaders of records are cut by ``batch_size()``."""
        return self._as_batches(super().build_training_data_loader())

    def build_validation_data_loader(self) -> Any:
        """The validation data, likewise."""
        return self._as_batches(super().build_validation_data_loader())

    @property
    def api_generation(self) -> Generation:
        """Names by role; ``compute_validation_metrics`` if the trial has its own."""
        own = getattr(self._legacy, "compute_validation_metrics", None)
        validate = self._validate if callable(own) else None
        return replace(super().api_generation, reported=self._reported, validate=validate)

    def _loss(self) -> Any:
        return self._legacy.loss()

    def _by_role(self) -> dict[Kind, dict[str, Any]]:
        trial = self._legacy
        roles: dict[Kind, dict[str, Any]] = {
            "training": named_metrics(trial.training_metrics),
            "validation": named_metrics(trial.validation_metrics),
        }
        given = [metric for named in roles.values() for metric in named.values()]
        parts = [part for one in given for part in (one if isinstance(one, tuple) else (one,))]
        objects = [id(part) for part in parts if hasattr(part, "reset_state")]
        if len(objects) != len(set(objects)):
            raise CheckFailedError(
                f"{place(trial.validation_metrics)}: one metric object stands at two places of "
                "training_metrics and validation_metrics, and would count both: make two"
            )
        return roles

    def _compiled_metrics(self, roles: dict[Kind, dict[str, Any]]) -> Any:
        names = [name for named in roles.values() for name in named]
        if len(self._outputs) > 1 and names:
            each = ", ".join(f"{output}_{names[0]}" for output in self._outputs)
            _log.warning("a metric of each output is reported by its name: %s", each)
            if current().config.searcher.metric in roles["validation"]:
                raise CheckFailedError(
                    f"searcher.metric: the model has several outputs, so "
                    f"{current().config.searcher.metric} is reported of each of them, with "
                    f"{'_ or '.join(self._outputs)}_ before its name: name one of these"
                )
        return [
            self._metric(kind, number, metric)
            for kind, named in roles.items()
            for number, metric in enumerate(named.values())
        ]

    def _metric(self, kind: Kind, number: int, metric: Any) -> Any:
        """A metric as Keras takes it.

        Raises:
            CheckFailedError: it is reduced over the batches by something else than their mean.
        """
        if isinstance(metric, tuple) and metric[1:] not in ((elementwise_mean,), (np.mean,)):
            said = ", ".join(getattr(part, "__name__", repr(part)) for part in metric[1:])
            raise CheckFailedError(
                f"{place(getattr(self._legacy, f'{kind}_metrics'))}: a metric is reduced over the "
                f"batches by elementwise_mean or np.mean, got {said}: compute others in "
                "compute_validation_metrics"
            )
        function = metric[0] if isinstance(metric, tuple) else metric
        return as_metric(function, _internal(kind, number))

    def _reported(self, kind: Kind, metrics: Metrics) -> Metrics:
        found = {}
        for internal, value in metrics.items():
            if internal == "loss" and kind == "training":
                found["loss"] = value
            for (role, ending), name in self._reported_as.items():
                if role == kind and (internal == ending or internal.endswith(f"_{ending}")):
                    found[self._name(internal.removesuffix(ending), name)] = value
        if kind == "validation":
            found.setdefault("loss", metrics["loss"])
        return found

    def _name(self, output: str, name: str) -> str:
        """The name in reports; the same metric of each of several outputs has that of its own."""
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

    def _as_batches(self, loader: Any) -> Any:
        if isinstance(loader, BatchLoader):
            return CutBatches(loader, self._legacy.batch_size())
        return loader


class AdaptedKerasFunctionalTrial(AdaptedKerasTrial):
    """Several outputs: losses and metrics name the output that they are about."""

    def _loss(self) -> Any:
        return self._legacy.losses()

    def _compiled_metrics(self, roles: dict[Kind, dict[str, Any]]) -> Any:
        by_output: dict[str, list[Any]] = {}
        for kind, named in roles.items():
            for number, (name, pair) in enumerate(named.items()):
                self._check(kind, name, pair)
                made = self._metric(kind, number, pair[1])
                by_output.setdefault(pair[0], []).append(made)
        return by_output

    def _check(self, kind: Kind, name: str, pair: Any) -> None:
        said = f"{place(getattr(self._legacy, f'{kind}_metrics'))}: {name}"
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise CheckFailedError(f"{said}: expected a pair (output, metric), got {pair!r}")
        if pair[0] not in self._outputs:
            raise CheckFailedError(
                f"{said}: the model has no output {pair[0]!r}: it has {', '.join(self._outputs)}"
            )

    def _name(self, output: str, name: str) -> str:
        return name  # which is of one output


def _internal(kind: Kind, number: int) -> str:
    return f"{kind}_metric_{number}"
