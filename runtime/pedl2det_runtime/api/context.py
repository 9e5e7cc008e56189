"""What a ``tf.keras`` trial says about its training (seeds 001 and 002)."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from pedl2det_runtime.api.trial_context import TrialContext
from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.backends.wrapped_model import WrappedModel
from pedl2det_runtime.data import class_weights
from pedl2det_runtime.data.loaders import is_dataset
from pedl2det_runtime.errors import CheckFailedError


class _ArgNotProvided:
    """The type of an argument that was left out where None has a meaning."""


_NOT_PROVIDED = _ArgNotProvided()


@dataclass(frozen=True)
class FitSettings:
    """What ``configure_fit`` sets; the defaults are those of spec/context_api.md, 4.3.

    Trials whose configs count in steps were never shuffled.
    """

    verbose: bool = True
    class_weight: Any = None
    workers: int = 1
    use_multiprocessing: bool = False
    max_queue_size: int = 10
    shuffle: bool = True
    validation_steps: int | None = None


class TFKerasExperimentalContext:
    """``context.experimental``; the data layer that lived here went with Determined 0.19.10.

    Args:
        context: the context that it belongs to.
    """

    def __init__(self, context: TFKerasTrialContext | None = None) -> None:
        self.context = context

    def cache_train_dataset(self, *_: Any, **__: Any) -> NoReturn:
        """Gone.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(
            "context.experimental.cache_train_dataset was removed in Determined 0.19.10: "
            "return the dataset from build_training_data_loader, cached with dataset.cache()"
        )

    def cache_validation_dataset(self, *_: Any, **__: Any) -> NoReturn:
        """Gone.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(
            "context.experimental.cache_validation_dataset was removed in Determined 0.19.10: "
            "return the dataset from build_validation_data_loader, cached with dataset.cache()"
        )


class TFKerasTrialContext(TrialContext):
    """The context of a ``tf.keras`` trial.

    Args:
        info: the trial.
        managed: whether a controller trains it; otherwise everything that is wrapped stays as it
            is.

    Attributes:
        experimental: features that are gone.
        fit_settings: what :meth:`configure_fit` has set.
        optimizers: the wrapped optimizers, in the order of the calls.
        datasets_wrapped: whether a dataset was wrapped.
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
        """The model that is trained; None before :meth:`wrap_model`."""
        return self._wrapped.model if self._wrapped else None

    @property
    def is_compiled(self) -> bool:
        """Whether the model was compiled after it was wrapped."""
        return self._wrapped is not None and self._wrapped.compiled is not None

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
        """Set arguments of ``model.fit``; what is left out keeps its value.

        Args:
            verbose: whether reports are printed.
            class_weight: weight of each class in the loss, by class number, or None.
            workers: who makes the batches of a Sequence; 0 makes them on the main thread.
            use_multiprocessing: whether the workers are processes rather than threads.
            max_queue_size: the most batches that are made ahead.
            shuffle: whether the batches of arrays or a Sequence are read in random order, anew
                in each pass; True unless set. A dataset shuffles itself.
            validation_steps: batches of a validation dataset that are read, or None for all.

        Raises:
            CheckFailedError: ``max_queue_size`` is below 1 or ``workers`` below 0, or
                ``class_weight`` is no mapping.
        """
        given = {
            "verbose": verbose,
            "workers": workers,
            "use_multiprocessing": use_multiprocessing,
            "max_queue_size": max_queue_size,
            "shuffle": shuffle,
        }
        changes: dict[str, Any] = {
            name: value for name, value in given.items() if value is not None
        }
        optional = {"class_weight": class_weight, "validation_steps": validation_steps}
        changes |= {
            name: value
            for name, value in optional.items()
            if not isinstance(value, _ArgNotProvided)
        }
        class_weights.check(changes.get("class_weight"))
        for name, least in (("max_queue_size", 1), ("workers", 0)):
            value = changes.get(name, least)
            if not isinstance(value, numbers.Integral) or value < least:
                raise CheckFailedError(f"{name}: expected {least} or more, got {value!r}")
        self.fit_settings = replace(self.fit_settings, **changes)

    def wrap_model(self, model: Any) -> Any:
        """Say which model is trained; to be called before ``compile``.

        Args:
            model: a ``tf.keras.Model``. Called twice, the last one is trained.

        Returns:
            The model, to be used in place of the one given. In a run its ``compile`` is recorded,
            and its ``fit`` trains nothing.
        """
        if self._managed:
            self._wrapped = WrappedModel(model, self.configure_fit)
        return model

    def adopt_compiled_model(self, model: Any) -> Any:
        """Train a model that was compiled before anybody could wrap it, as in old trials."""
        self._wrapped = WrappedModel(model, self.configure_fit, is_compiled=True)
        return model

    def wrap_optimizer(self, optimizer: Any) -> Any:
        """Say which optimizer trains the model; several may be wrapped, each in its turn.

        Args:
            optimizer: a ``tf.keras.optimizers.Optimizer``, or the name of one.

        Returns:
            The optimizer, to be used in place of the one given.
        """
        import tensorflow as tf

        if isinstance(optimizer, str):
            optimizer = tf.keras.optimizers.get(optimizer)
        if self._managed:
            self.optimizers.append(optimizer)
        return optimizer

    def wrap_dataset(self, dataset: Any, shard_dataset: bool = True) -> Any:
        """Say which ``tf.data.Dataset`` is read, immediately after it was created.

        Args:
            dataset: the dataset.
            shard_dataset: whether every slot sees a share of its own. If False, the trial gives
                each process its own data.

        Returns:
            The dataset, to be used in place of the one given.
        """
        if not self._managed:
            return dataset
        self.datasets_wrapped = True
        if shard_dataset and self.distributed.size > 1 and is_dataset(dataset):
            return dataset.shard(self.distributed.size, self.distributed.rank)
        return dataset
