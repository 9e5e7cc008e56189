"""Ask a trial for everything that training needs: data, model, callbacks.

The order is that of every API generation: constructor, ``session_config``, training data,
validation data, model, callbacks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.trial import TFKerasTrial
from pedl2det_runtime.backends import compiled_model, graph_mode, keras_versions, random_state
from pedl2det_runtime.backends.compiled_model import unknown_metrics
from pedl2det_runtime.checkpoint.code_files import code_of, publishable_code
from pedl2det_runtime.checkpoint.manager import CheckpointManager, Goal, Retention
from pedl2det_runtime.checkpoint.ownership import run_of
from pedl2det_runtime.checkpoint.storage import Storage
from pedl2det_runtime.checkpoint.writer import Contents
from pedl2det_runtime.config.generation import CONTEXT_BASED, EARLY_DETERMINED, Generation
from pedl2det_runtime.data.loaders import is_dataset
from pedl2det_runtime.distributed.gradients import Accumulator, average_gradients
from pedl2det_runtime.distributed.rank_sync import RankSync
from pedl2det_runtime.errors import CheckFailedError, ConfigError, InvalidModelException
from pedl2det_runtime.errors.trial_code import defined_at
from pedl2det_runtime.training.callback_multiplexer import Multiplexer
from pedl2det_runtime.training.data_module import DataModule, data_of
from pedl2det_runtime.training.metric_checks import check_metric
from pedl2det_runtime.training.resume import compare_trial
from pedl2det_runtime.training.run_options import Run
from pedl2det_runtime.training.schedule import Schedule


@dataclass(frozen=True)
class TrialSetup:
    """A trial that is ready to train."""

    run: Run  #: the run that it belongs to
    #: the trial's context, with its compiled model and its settings for ``fit``
    context: TFKerasTrialContext
    data: DataModule  #: training and validation data
    callbacks: Multiplexer  #: the user's callbacks
    schedule: Schedule  #: at which batches to report, validate and checkpoint
    generation: Generation  #: training semantics of the trial's API generation
    sync: RankSync  #: synchronizes the ranks that train the trial
    accumulators: list[Accumulator]  #: sums of gradients between two optimizer steps
    #: returns the user's function behind a method of the trial
    definition: Callable[[str], Callable[..., Any]]
    checkpoints: CheckpointManager  #: writes and prunes the run's checkpoints
    #: settings of the optimizers that a resumed run takes from the code
    changed_settings: frozenset[str]


def set_up_trial(trial_class: type[TFKerasTrial], run: Run) -> TrialSetup:
    """Create a trial and ask it for its data, its model and its callbacks."""
    context = TFKerasTrialContext(run.info)
    trial = trial_class(context)
    graph_mode.apply_session_config(trial.session_config())
    random_state.seed_global_generator(run.info.seed)
    batch_size = run.info.per_slot_batch_size
    loaders = trial.build_training_data_loader(), trial.build_validation_data_loader()
    generation = _generation(trial, run)
    data = data_of(
        context,
        *loaders,
        batch_size,
        generation,
        1 if run.options.test else None,
        definition=trial._definition,
    )
    _say_semantics(run, generation, data)
    trial.build_model()
    with defined_at(trial._definition("build_model")):
        _check_model(context)
    keras_versions.track_optimizers(context.model, context.optimizers)
    optimizers, accumulators = keras_versions.optimizers(context.model), []
    if context.distributed.size > 1:
        accumulators = average_gradients(optimizers, run.config.optimizations)
    schedule = _schedule(run, _epoch(run, generation, data.training))
    callbacks = Multiplexer(
        trial.keras_callbacks(),
        context.model,
        home=run.options.directory,
        batch_size=batch_size,
        epoch=schedule.epoch,
        params_of_fit=generation.epoch_is_one_pass,
        is_chief=run.is_chief,
    )
    if schedule.epoch and (line := callbacks.missing_metrics.notice(generation)):
        run.say(line)
    check_metric(run.config, generation, context.model, may_add_metrics=callbacks.may_add_metrics)
    averages_training = run.config.optimizations.average_training_metrics
    checkpoints = _checkpoints(run, generation, context.model)
    return TrialSetup(
        run=run,
        context=context,
        data=data,
        callbacks=callbacks,
        schedule=schedule,
        generation=generation,
        sync=RankSync(context.distributed, averages_training=averages_training),
        accumulators=accumulators,
        definition=trial._definition,
        checkpoints=checkpoints,
        changed_settings=compare_trial(run, checkpoints.contents),
    )


def _say_semantics(run: Run, generation: Generation, data: DataModule) -> None:
    if generation is EARLY_DETERMINED:
        run.say(
            "the config counts in steps, so the trial is trained as in Determined 0.12: batches "
            "are not shuffled without configure_fit(shuffle=True), an epoch is one pass, and a "
            "smaller last batch of training arrays is left out"
        )
    if not generation.wraps_datasets and run.info.slots > 1 and data.has_dataset:
        run.say(
            "several processes: each reads its own share of a tf.data.Dataset that wrap_dataset "
            "wrapped, and all of one that it did not wrap"
        )


def _checkpoints(run: Run, generation: Generation, model: Any) -> CheckpointManager:
    home, out, point = run.options.directory, run.options.out, run.resume_point
    contents = Contents(
        run.config.raw,
        run.info.hparams,
        home,
        publishable_code(code_of(home, out, run.say), home, run.say),
        compiled=compiled_model.describe_compiled(model),
    )
    return CheckpointManager(
        _goal(run, generation), contents, out, run_of(point.path), point.state, point.damaged
    )


def _goal(run: Run, generation: Generation) -> Goal:
    config = run.config
    searcher, section = config.searcher, config.checkpoint_storage
    smaller = searcher.smaller_is_better
    retention = Retention(section.best, section.save_trial_latest, smaller) if section else None
    # The storage of a legacy config was part of its cluster; a notice says that it is not used.
    stores = section is not None and section.type is not None and not config.is_legacy
    return Goal(
        metric=searcher.metric,
        smaller_is_better=smaller,
        policy=config.checkpoint_policy,
        retention=Retention(0, 0, smaller) if run.options.discards_results else retention,
        storage=Storage(section) if section and stores else None,
        generation=generation,
    )


def _check_model(context: TFKerasTrialContext) -> None:
    if context.model is None:
        raise CheckFailedError("Please call wrap_model(...) in build_model, before compile.")
    if not context.is_compiled:
        when = " again, after wrap_model(...)" if context.model.optimizer else ""
        raise CheckFailedError(f"Please call model.compile(...){when} in build_model.")
    if unknown := unknown_metrics(context.model):
        raise InvalidModelException(f"compile: Keras has no metric named {', '.join(unknown)}")


def _generation(trial: TFKerasTrial, run: Run) -> Generation:
    """Return the generation; Determined 0.12 for a context-based trial with a config in steps."""
    own, config = trial.api_generation, run.config
    if own is not CONTEXT_BASED or not config.is_legacy:
        return own
    if config.entrypoint is None and config.source.path is not None:
        raise ConfigError(
            f"{config.source.path}: this config counts in steps and has no entrypoint, like PEDL's "
            "configs, but the trial is context-based: migrate the config too, with "
            f"pedl2det migrate {run.options.directory}"
        )
    return EARLY_DETERMINED


def _epoch(run: Run, generation: Generation, training: Any) -> int:
    """Return the number of batches in an epoch; 0 if the trial has no epochs."""
    if generation.epoch:
        return generation.epoch
    if not generation.epoch_is_one_pass:
        return run.config.records_per_epoch // run.info.global_batch_size
    return run.config.report_period if is_dataset(training) else len(training) // run.info.slots


def _schedule(run: Run, epoch: int) -> Schedule:
    if run.options.test:
        return Schedule(total=1, epoch=min(epoch, 1))
    config, batch_size = run.config, run.info.global_batch_size
    try:
        total = config.training_batches(batch_size)
        validate_every = config.batches(config.min_validation_period, batch_size)
        checkpoint_every = config.batches(config.min_checkpoint_period, batch_size)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    return Schedule(
        total=min(total, run.options.max_batches or total),
        report_every=config.report_period,
        validate_every=validate_every,
        checkpoint_every=checkpoint_every,
        epoch=epoch,
        validates_first=config.perform_initial_validation,
    )
