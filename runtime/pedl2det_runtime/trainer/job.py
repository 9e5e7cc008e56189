"""From a trial class to everything that the controller needs: the trial is made and asked.

In this order, for every generation (spec/README.md, 9): constructor, ``session_config``, training
data, validation data, model, callbacks.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.generation import CONTEXT_BASED, EARLY_DETERMINED, Generation
from pedl2det_runtime.api.trial import TFKerasTrial
from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.backends import keras_versions, random_state, session
from pedl2det_runtime.checkpoint import format as checkpoint
from pedl2det_runtime.checkpoint.manager import Goal
from pedl2det_runtime.checkpoint.retention import Retention
from pedl2det_runtime.checkpoint.storage import Storage
from pedl2det_runtime.config.model import ExperimentConfig
from pedl2det_runtime.data.feed import is_endless
from pedl2det_runtime.data.loaders import as_data, is_dataset
from pedl2det_runtime.data.sequence_adapter import SequenceAdapter
from pedl2det_runtime.distributed.team import Team
from pedl2det_runtime.errors import CheckFailedError, ConfigError, InvalidExperimentException
from pedl2det_runtime.trainer.multiplexer import Multiplexer
from pedl2det_runtime.trainer.options import RunOptions
from pedl2det_runtime.trainer.schedule import Schedule

if TYPE_CHECKING:
    from pedl2det_runtime.distributed.gradients import Accumulator

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """What is trained, with what, and where the results go.

    Attributes:
        context: the trial's context, with its compiled model and its settings for ``fit``.
        training: the training data, a sequence of batches or a dataset.
        validation: the validation data, likewise.
        validation_steps: how many batches of it a validation reads; None for all.
        callbacks: the user's callbacks.
        schedule: when to stop for what.
        generation: in what the generation of the trial differs.
        goal: which checkpoints are kept.
        belongings: what every checkpoint carries.
        directory: the run's directory.
        trace: writes the metrics of every single batch, or None.
        say: prints one line for people.
        team: the processes that train it together.
        accumulators: what holds gradients between two steps of the optimizers.
    """

    context: TFKerasTrialContext
    training: Any
    validation: Any
    validation_steps: int | None
    callbacks: Multiplexer
    schedule: Schedule
    generation: Generation
    goal: Goal
    belongings: checkpoint.Belongings
    directory: Path
    trace: Path | None
    say: Callable[[str], None]
    team: Team
    accumulators: list[Accumulator]


def make_job(
    trial_class: type[TFKerasTrial],
    info: TrialInfo,
    options: RunOptions,
    say: Callable[[str], None],
) -> Job:
    """Make a trial and ask it for its data, its model and its callbacks.

    Raises:
        Pedl2DetError: the trial breaks the contract of the API.
    """
    config = info.config
    context = TFKerasTrialContext(info)
    trial = trial_class(context)
    session.apply(trial.session_config())
    random_state.seed_global_generator(info.seed)
    batch_size = info.per_slot_batch_size
    training_loader = trial.build_training_data_loader()
    validation_loader = trial.build_validation_data_loader()
    generation = _generation(config, trial)
    if generation is EARLY_DETERMINED:
        say(
            "the config counts in steps, so this is trained as Determined 0.12 did: batches are "
            "not shuffled unless the trial says so, an epoch is one pass, the last batch of "
            "training arrays is left out if it is smaller"
        )
    training = as_data(
        _unwrapped(context, training_loader),
        batch_size,
        keeps_partial_batch=generation.keeps_partial_batch,
    )
    validation = as_data(_without_adapter(validation_loader, training_loader), batch_size)
    validation_steps = 1 if options.test else _validation_steps(context, validation, generation)
    _check_end(validation, validation_steps)
    if generation.wraps_datasets:
        _check_wrapped(context, training, validation)
    elif info.slots > 1 and (is_dataset(training) or is_dataset(validation)):
        say(
            "several processes: each reads its share of a tf.data.Dataset on which wrap_dataset "
            "was called, and the whole of one on which it was not"
        )
    trial.build_model()
    _check_model(context)
    keras_versions.track_optimizers(context.model, context.optimizers)
    accumulators = _averaged(context, config)
    epoch = _epoch(config, info, generation, training)
    schedule = _schedule(config, info.global_batch_size, epoch, options)
    callbacks = Multiplexer(
        trial.keras_callbacks(),
        context.model,
        home=options.directory,
        batch_size=batch_size,
        has_epochs=epoch > 0,
        is_chief=context.distributed.rank == 0,
    )
    return Job(
        context=context,
        training=training,
        validation=validation,
        validation_steps=validation_steps,
        callbacks=callbacks,
        schedule=schedule,
        generation=generation,
        goal=_goal(config, generation),
        belongings=checkpoint.Belongings(
            config.raw,
            info.hparams,
            options.directory,
            checkpoint.code_of(options.directory, options.out),
        ),
        directory=options.out,
        trace=options.out / "batches.jsonl" if options.trace else None,
        say=say if context.fit_settings.verbose else lambda _: None,
        team=Team(
            context.distributed,
            averages_training=config.optimizations.average_training_metrics,
        ),
        accumulators=accumulators,
    )


def _averaged(context: TFKerasTrialContext, config: ExperimentConfig) -> list[Accumulator]:
    """Have the optimizers see the gradients of all processes, where there are several."""
    if context.distributed.size == 1:
        return []
    from pedl2det_runtime.distributed.gradients import average_gradients

    return average_gradients(keras_versions.optimizers(context.model), config.optimizations)


def _goal(config: ExperimentConfig, generation: Generation) -> Goal:
    searcher, section = config.searcher, config.checkpoint_storage
    smaller = searcher.smaller_is_better
    # The storage of a legacy config went with its cluster; the notices say so.
    stores = section is not None and section.type is not None and not config.is_legacy
    return Goal(
        metric=searcher.metric,
        smaller_is_better=smaller,
        policy=config.checkpoint_policy,
        retention=Retention(section.best, section.save_trial_latest, smaller) if section else None,
        storage=Storage(section) if section and stores else None,
        generation=generation,
    )


def _unwrapped(context: TFKerasTrialContext, loader: Any) -> Any:
    """The training data; how an adapter wants them to be read is told to the context."""
    if not isinstance(loader, SequenceAdapter):
        return loader
    context.configure_fit(**loader.fit_settings())
    return loader.sequence


def _without_adapter(validation: Any, training: Any) -> Any:
    """The validation data, which are read with the workers of the training data."""
    if not isinstance(validation, SequenceAdapter):
        return validation
    settings = training.fit_settings() if isinstance(training, SequenceAdapter) else None
    if validation.fit_settings() != settings:
        _log.warning("the validation data are read with the workers of the training data")
    return validation.sequence


def _check_wrapped(context: TFKerasTrialContext, *loaders: Any) -> None:
    if any(is_dataset(data) for data in loaders) and not context.datasets_wrapped:
        raise InvalidExperimentException(
            "Please use context.wrap_dataset(dataset) on each tf.data.Dataset, "
            "immediately after it was created."
        )


def _validation_steps(
    context: TFKerasTrialContext, validation: Any, generation: Generation
) -> int | None:
    """``configure_fit(validation_steps=...)`` applies to datasets only, that of a script to all."""
    steps: int | None = context.fit_settings.validation_steps
    if steps is None or is_dataset(validation):
        return steps
    if not generation.limits_any_validation:
        return None
    there_are = len(validation)
    if steps > there_are:
        _log.warning("validation_steps=%d: there are %d batches, all are read", steps, there_are)
    return steps


def _check_end(validation: Any, steps: int | None) -> None:
    if steps is None and is_dataset(validation) and is_endless(validation):
        raise InvalidExperimentException(
            "the validation dataset never ends: leave out repeat(), or say how many of its batches "
            "are read, with validation_steps"
        )


def _check_model(context: TFKerasTrialContext) -> None:
    if context.model is None:
        raise CheckFailedError("Please call wrap_model(...) in build_model, before compile.")
    if not context.is_compiled:
        when = " again, after wrap_model(...)" if context.model.optimizer else ""
        raise CheckFailedError(f"Please call model.compile(...){when} in build_model.")


def _generation(config: ExperimentConfig, trial: TFKerasTrial) -> Generation:
    """That of the trial; a context-based one whose config counts in steps is of 2020."""
    own = trial.api_generation
    return EARLY_DETERMINED if own is CONTEXT_BASED and config.is_legacy else own


def _epoch(config: ExperimentConfig, info: TrialInfo, generation: Generation, training: Any) -> int:
    """Batches in an epoch; 0 where there are none."""
    if generation.epoch:
        return generation.epoch
    if not generation.epoch_is_one_pass:
        return config.records_per_epoch // info.global_batch_size
    return config.report_period if is_dataset(training) else len(training) // info.slots


def _schedule(
    config: ExperimentConfig, batch_size: int, epoch: int, options: RunOptions
) -> Schedule:
    if options.test:
        return Schedule(total=1)
    try:
        total = config.training_batches(batch_size)
        validate_every = config.batches(config.min_validation_period, batch_size)
        checkpoint_every = config.batches(config.min_checkpoint_period, batch_size)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    return Schedule(
        total=min(total, options.max_batches or total),
        report_every=config.report_period,
        validate_every=validate_every,
        checkpoint_every=checkpoint_every,
        epoch=epoch,
        validates_first=config.perform_initial_validation,
    )
