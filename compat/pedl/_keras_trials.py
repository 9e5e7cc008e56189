"""``KerasTrial`` and ``KerasFunctionalTrial`` for the controller, which compiles them here.

Their metrics are dicts by name and by role: some are computed on training batches, some on
validation batches, and a name may stand in both. Keras has one list, so each gets a name of its own
there, and its name in the dict back when it is reported.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pedl._adapter import AdaptedTrial
from pedl.data import BatchLoader
from pedl.frameworks.keras.data import KerasDataAdapter
from pedl2det_runtime.current import current
from pedl2det_runtime.errors import CheckFailedError
from pedl2det_runtime.generation import Generation, Kind, Metrics


class AdaptedKerasTrial(AdaptedTrial):
    """Compiles the model that a ``KerasTrial`` builds, and reports by its names."""

    def build_model(self) -> Any:
        """The model, compiled with the trial's optimizer, losses and metrics."""
        model = self.context.wrap_model(self._legacy.build_model(self._hparams))
        roles = self._by_role()
        self._reported_as = {
            (kind, _internal(kind, number)): name
            for kind, named in roles.items()
            for number, name in enumerate(named)
        }
        model.compile(
            optimizer=_old_optimizer(self._legacy.optimizer()),
            loss=self._loss(),
            metrics=self._compiled_metrics(roles),
        )
        self._legacy.model = model
        self._legacy.validation_data_adapter = KerasDataAdapter(self.build_validation_data_loader())
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
        return {
            "training": dict(self._legacy.training_metrics()),
            "validation": dict(self._legacy.validation_metrics()),
        }

    def _compiled_metrics(self, roles: dict[Kind, dict[str, Any]]) -> Any:
        return [
            _as_metric(metric, _internal(kind, number))
            for kind, named in roles.items()
            for number, metric in enumerate(named.values())
        ]

    def _reported(self, kind: Kind, metrics: Metrics) -> Metrics:
        found = {}
        for internal, value in metrics.items():
            if internal == "loss" and kind == "training":
                found["loss"] = value
            for (role, ending), name in self._reported_as.items():
                if role == kind and (internal == ending or internal.endswith(f"_{ending}")):
                    found[name] = value
        if kind == "validation":
            found.setdefault("loss", metrics["loss"])
        return found

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
            return _Batches(loader, self._legacy.batch_size())
        return loader


class AdaptedKerasFunctionalTrial(AdaptedKerasTrial):
    """Several outputs: losses and metrics name the output that they are about."""

    def _loss(self) -> Any:
        return self._legacy.losses()

    def _compiled_metrics(self, roles: dict[Kind, dict[str, Any]]) -> Any:
        by_output: dict[str, list[Any]] = {}
        for kind, named in roles.items():
            for number, (output, metric) in enumerate(named.values()):
                made = _as_metric(metric, _internal(kind, number))
                by_output.setdefault(output, []).append(made)
        return by_output


class _Batches:
    """Batches cut from a loader of records; the last one may be smaller."""

    def __init__(self, loader: BatchLoader, size: int) -> None:
        self._loader, self._size = loader, size

    def __len__(self) -> int:
        return -(-len(self._loader) // self._size)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        first = index * self._size
        batch = self._loader.get_batch(first, min(first + self._size, len(self._loader)))
        return _unnamed(batch.data), _unnamed(batch.labels)


def _unnamed(arrays: dict[str, Any]) -> Any:
    """One array by itself; several stay named."""
    return next(iter(arrays.values())) if len(arrays) == 1 else arrays


def _old_optimizer(optimizer: Any) -> Any:
    """An optimizer's name means that of standalone Keras, with its defaults."""
    return importlib.import_module("keras.optimizers").get(optimizer)


def _internal(kind: Kind, number: int) -> str:
    return f"{kind}_metric_{number}"


def _as_metric(metric: Any, name: str) -> Any:
    import tensorflow as tf

    if isinstance(metric, tuple):  # with its reducer, which is the mean
        metric = metric[0]
    if isinstance(metric, tf.keras.metrics.Metric):
        metric._name = name
        return metric
    return tf.keras.metrics.MeanMetricWrapper(_function(metric), name=name)


def _function(metric: Any) -> Callable[[Any, Any], Any]:
    """A metric's function; "accuracy" is the one that fits the shapes."""
    import tensorflow as tf

    if metric not in ("accuracy", "acc"):
        found: Callable[[Any, Any], Any] = tf.keras.metrics.get(metric)
        return found

    def accuracy(y: Any, p: Any) -> Any:
        if p.shape[-1] == 1:
            return tf.keras.metrics.binary_accuracy(y, p)
        if y.shape.rank == p.shape.rank and y.shape[-1] != 1:
            return tf.keras.metrics.categorical_accuracy(y, p)
        return tf.keras.metrics.sparse_categorical_accuracy(y, p)

    return accuracy
