"""The context of a ``tf.keras`` trial.

Follows the Determined documentation, *Keras API* guide and *Keras API Reference*.
"""

from __future__ import annotations

import functools
import numbers
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pedl2det_runtime.api.trial_context import TrialContext
from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.backends.wrapped_model import WrappedModel
from pedl2det_runtime.data import class_weights
from pedl2det_runtime.data.loaders import is_dataset
from pedl2det_runtime.errors import CheckFailedError, InvalidModelException

#: A function that makes a ``tf.data.Dataset``.
MakesDataset = Callable[..., Any]

#: The default of arguments for which None is a value.
_NOT_PROVIDED: Any = object()


@dataclass(frozen=True)
class FitSettings:
    """The arguments of ``configure_fit`` (docs/semantics.md, Settings of ``configure_fit``)."""

    verbose: bool = True
    class_weight: Any = None
    workers: int = 1
    use_multiprocessing: bool = False
    max_queue_size: int = 10
    shuffle: bool = True
    validation_steps: int | None = None


class TFKerasExperimentalContext:
    """``context.experimental``: the data layer of Determined 0.12 to 0.19.9, cached in memory.

    Args:
        context: the context that has this attribute.
    """

    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context

    def cache_train_dataset(
        self,
        dataset_id: str,
        dataset_version: str,
        shuffle: bool = False,
        skip_shuffle_at_epoch_end: bool = False,
    ) -> Callable[[MakesDataset], MakesDataset]:
        """Decorate a function that makes a dataset, to wrap, cache and shuffle the dataset.

        Args:
            dataset_id: not used.
            dataset_version: not used.
            shuffle: whether to shuffle the records, with the trial's seed.
            skip_shuffle_at_epoch_end: whether every pass uses the order of the first.

        Raises:
            CheckFailedError: the decorated function returned an infinite dataset to shuffle.
        """
        del dataset_id, dataset_version
        import tensorflow as tf

        from pedl2det_runtime.data.feed import is_endless

        def decorate(function: MakesDataset) -> MakesDataset:
            @functools.wraps(function)
            def cached(*args: Any, **kwargs: Any) -> Any:
                dataset = self.context.wrap_dataset(function(*args, **kwargs)).cache()
                if not shuffle:
                    return dataset
                if is_endless(dataset):
                    raise CheckFailedError(
                        f"{function.__name__}: an infinite dataset cannot be shuffled: call "
                        f"repeat() on the result of {function.__name__}, or remove it"
                    )
                return dataset.shuffle(
                    tf.data.UNKNOWN_CARDINALITY,  # as large as the dataset turns out to be
                    seed=self.context.get_trial_seed(),
                    reshuffle_each_iteration=not skip_shuffle_at_epoch_end,
                )

            return cached

        return decorate

    def cache_validation_dataset(
        self, dataset_id: str, dataset_version: str, shuffle: bool = False
    ) -> Callable[[MakesDataset], MakesDataset]:
        """Decorate a function that makes a dataset, to wrap, cache and shuffle the dataset.

        Args:
            dataset_id: not used.
            dataset_version: not used.
            shuffle: whether to shuffle the records, with the trial's seed.
        """
        return self.cache_train_dataset(dataset_id, dataset_version, shuffle)


class TFKerasTrialContext(TrialContext):
    """The context of a ``tf.keras`` trial.

    Args:
        info: the running trial.
        managed: whether the runtime trains the trial. If False, the ``wrap_*`` methods return their
            argument unchanged.

    Attributes:
        experimental: the data layer.
        fit_settings: the settings of :meth:`configure_fit`.
        optimizers: the wrapped optimizers, in call order.
        datasets_wrapped: whether :meth:`wrap_dataset` was called.
    """

    def __init__(self, info: TrialInfo, *, managed: bool = True) -> None:
        super().__init__(info, managed=managed)
        self.experimental = TFKerasExperimentalContext(self)
        self.fit_settings = FitSettings(shuffle=not info.config.is_legacy)
        self.optimizers: list[Any] = []
        self.datasets_wrapped = False
        self._wrapped: WrappedModel | None = None

    @property
    def model(self) -> Any:
        """The wrapped model; None before :meth:`wrap_model`."""
        return self._wrapped.model if self._wrapped else None

    @property
    def is_compiled(self) -> bool:
        """Whether ``compile`` was called after :meth:`wrap_model`."""
        return self._wrapped is not None and self._wrapped.is_compiled

    def configure_fit(
        self,
        verbose: bool | None = None,
        class_weight: Any = _NOT_PROVIDED,
        workers: int | None = None,
        use_multiprocessing: bool | None = None,
        max_queue_size: int | None = None,
        shuffle: bool | None = None,
        validation_steps: Any = _NOT_PROVIDED,
    ) -> None:
        """Set arguments of ``model.fit``. Arguments that are omitted keep their value.

        Args:
            verbose: whether to print reports. Default True.
            class_weight: weight of each class in the loss, by class index; None (default) for
                equal weights.
            workers: number of workers that load batches of a Sequence; 0 loads them on the main
                thread. Default 1.
            use_multiprocessing: use processes instead of threads as workers. Default False.
            max_queue_size: maximum number of batches loaded ahead. Default 10.
            shuffle: whether to shuffle the order of batches of arrays or a Sequence in each pass.
                Default True; False for a config in steps. Datasets are not affected.
            validation_steps: number of batches of a validation dataset to read; None (default)
                reads all.

        Raises:
            CheckFailedError: ``max_queue_size`` is below 1, ``workers`` is below 0, or
                ``class_weight`` is not a mapping.
        """
        settings: dict[str, Any] = {
            "verbose": verbose,
            "workers": workers,
            "use_multiprocessing": use_multiprocessing,
            "max_queue_size": max_queue_size,
            "shuffle": shuffle,
        }
        changes = {name: value for name, value in settings.items() if value is not None}
        if class_weight is not _NOT_PROVIDED:
            class_weights.check(class_weight)
            changes["class_weight"] = class_weight
        if validation_steps is not _NOT_PROVIDED:
            changes["validation_steps"] = validation_steps
        for name, least in (("max_queue_size", 1), ("workers", 0)):
            value = changes.get(name, least)
            if not isinstance(value, numbers.Integral) or value < least:
                raise CheckFailedError(f"{name}: expected {least} or more, got {value!r}")
        self.fit_settings = replace(self.fit_settings, **changes)

    def wrap_model(self, model: Any) -> Any:
        """Register the model to train. Call this before ``compile``.

        Args:
            model: a ``tf.keras.Model``. If called several times, the last model is trained.

        Returns:
            The model; use it instead of the argument. In a run, ``compile`` is recorded and ``fit``
            does not train.

        Raises:
            InvalidModelException: ``model`` is not a Keras model.
        """
        if not callable(getattr(model, "compile", None)):
            raise InvalidModelException(
                f"wrap_model(...): expected a tf.keras.Model, got {type(model).__name__}"
            )
        if self._managed:
            self._wrapped = WrappedModel(model, self.configure_fit)
        return model

    def adopt_compiled_model(self, model: Any) -> Any:
        """Register a compiled model, such as a PEDL trial returns.

        Args:
            model: a compiled ``tf.keras.Model``.

        Returns:
            The model.
        """
        self._wrapped = WrappedModel(model, self.configure_fit, is_compiled=True)
        return model

    def wrap_optimizer(self, optimizer: Any) -> Any:
        """Register an optimizer. Call this once for each optimizer of the trial.

        Args:
            optimizer: a ``tf.keras.optimizers.Optimizer``, or its name.

        Returns:
            The optimizer; use it instead of the argument.
        """
        import tensorflow as tf

        if isinstance(optimizer, str):
            optimizer = tf.keras.optimizers.get(optimizer)
        if self._managed:
            self.optimizers.append(optimizer)
        return optimizer

    def wrap_dataset(self, dataset: Any, shard_dataset: bool = True) -> Any:
        """Register a ``tf.data.Dataset``. Call this immediately after creating it.

        Args:
            dataset: the dataset.
            shard_dataset: whether to give each process its own shard. Set it to False if the trial
                shards the data itself.

        Returns:
            The dataset; use it instead of the argument.
        """
        if not self._managed:
            return dataset
        self.datasets_wrapped = True
        if shard_dataset and self.distributed.size > 1 and is_dataset(dataset):
            return dataset.shard(self.distributed.size, self.distributed.rank)
        return dataset
