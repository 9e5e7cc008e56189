"""The data of one trial on one rank: training batches from any batch on, and validation passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.config.generation import Generation
from pedl2det_runtime.data.feed import (
    Feed,
    batches_in_pass,
    is_empty,
    is_endless,
    training_feed,
    validation_feed,
)
from pedl2det_runtime.data.loaders import as_data, is_dataset
from pedl2det_runtime.data.sequence_adapter import SequenceAdapter
from pedl2det_runtime.data.tensors import StackedDatasets
from pedl2det_runtime.data.workers import Workers
from pedl2det_runtime.errors import InvalidExperimentException
from pedl2det_runtime.errors.repeated_warnings import logger
from pedl2det_runtime.errors.trial_code import defined_at

_log = logger(__name__)

_TRAINING, _VALIDATION = 0, 1  # streams of random numbers for data workers


class DataModule:
    """Training and validation data, read with the settings of ``context.configure_fit``.

    ``validation_steps`` is the maximum number of batches of a validation pass; None reads all.
    """

    def __init__(
        self,
        context: TFKerasTrialContext,
        training: Any,
        validation: Any,
        validation_steps: int | None = None,
    ) -> None:
        self.training = training
        self.validation = validation
        self._validation_steps = validation_steps
        self._context = context
        self._datasets = StackedDatasets()

    @property
    def ranks(self) -> tuple[int, int]:
        """The rank of this process, and the number of ranks."""
        distributed = self._context.distributed
        return distributed.rank, distributed.size

    @property
    def batches_in_pass(self) -> int | None:
        """Batches of this rank in one pass over the data; None where a dataset does not know."""
        passes = batches_in_pass(self.training)
        return passes if passes is None or is_dataset(self.training) else passes // self.ranks[1]

    @property
    def has_dataset(self) -> bool:
        """Whether training or validation data are a ``tf.data.Dataset``."""
        return is_dataset(self.training) or is_dataset(self.validation)

    def training_feed(self, start: int) -> Feed:
        """Return the training batches from number ``start`` on, without end."""
        seed = self._context.get_trial_seed() if self._context.fit_settings.shuffle else None
        return training_feed(self.training, self._workers(_TRAINING), seed, start, self.ranks)

    def validation_feed(self, batches: int) -> Feed:
        """Return one validation pass, after ``batches`` of training."""
        workers = self._workers(_VALIDATION, batches)
        return validation_feed(
            self.validation, workers, self._validation_steps, self._datasets, self.ranks
        )

    def _workers(self, stream: int, *more: int) -> Workers:
        settings = self._context.fit_settings
        seed = self._context.get_trial_seed(), stream + 2 * self.ranks[0], *more
        return Workers(
            settings.workers,
            settings.use_multiprocessing and settings.workers > 0,
            settings.max_queue_size,
            seed,
        )


def data_of(
    context: TFKerasTrialContext,
    training_loader: Any,
    validation_loader: Any,
    batch_size: int,
    generation: Generation,
    validation_steps: int | None = None,
    *,
    definition: Callable[[str], Callable[..., Any]],
) -> DataModule:
    """Check what the loaders of a trial returned, and make it one data module.

    A ``SequenceAdapter`` sets the context's ``configure_fit``. ``batch_size`` is that of one rank.
    Without ``validation_steps``, those of the trial count. ``definition`` returns the user's
    function behind a method of the trial.

    Raises:
        InvalidExperimentException: the validation data have no end, or a dataset is empty or not
            wrapped.
        InvalidDataTypeException: a loader returned something else than documented.
    """
    with defined_at(definition("build_training_data_loader")):
        training, validation = _unwrap_adapters(context, training_loader, validation_loader)
        keeps_partial_batch = generation.keeps_partial_batch
        training = as_data(training, batch_size, keeps_partial_batch=keeps_partial_batch)
    with defined_at(definition("build_validation_data_loader")):
        validation = as_data(validation, batch_size)
    steps = validation_steps
    if steps is None and is_dataset(validation):
        steps = context.fit_settings.validation_steps
    if steps is None and is_dataset(validation) and is_endless(validation):
        raise InvalidExperimentException(
            "the validation dataset never ends: leave out repeat(), or say how many of its batches "
            "are read, with validation_steps"
        )
    for name, dataset in (("training", training), ("validation", validation)):
        if is_dataset(dataset) and is_empty(dataset):
            raise InvalidExperimentException(
                f"the {name} dataset is empty: it must hold at least one batch"
            )
    data = DataModule(context, training, validation, steps)
    if generation.wraps_datasets and data.has_dataset and not context.datasets_wrapped:
        raise InvalidExperimentException(
            "Please use context.wrap_dataset(dataset) on each tf.data.Dataset, "
            "immediately after it was created."
        )
    return data


def _unwrap_adapters(context: TFKerasTrialContext, training: Any, validation: Any) -> Any:
    """Return both data without adapters; the settings of that of the training data count."""
    settings = None
    if isinstance(training, SequenceAdapter):
        settings, training = training.fit_settings(), training.sequence
        context.configure_fit(**settings)
    if isinstance(validation, SequenceAdapter):
        if validation.fit_settings() != settings:
            _log.warning("the validation data are read with the workers of the training data")
        validation = validation.sequence
    return training, validation
