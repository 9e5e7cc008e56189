"""The training loop: one ``model.fit`` from the first batch to the last.

Keras runs the batches; one callback acts at the batches that the schedule names. Between these,
Keras may run many batches in one execution, unless a callback of the user acts on every batch or
the model runs eagerly.
"""

from __future__ import annotations

import signal
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from typing import Any

import tensorflow as tf

from pedl2det_legacy.epoch_metrics import add_batch, epoch_means, metric_sums
from pedl2det_runtime.backends import chunks, graph_mode, keras_versions, random_state
from pedl2det_runtime.backends.wrapped_model import compiled_once
from pedl2det_runtime.checkpoint import model_files
from pedl2det_runtime.checkpoint.json_lines import scalars
from pedl2det_runtime.checkpoint.state import Progress, RankState, State
from pedl2det_runtime.data import class_weights
from pedl2det_runtime.distributed.ranks import as_lost
from pedl2det_runtime.errors import Interrupted, InvalidExperimentException
from pedl2det_runtime.errors.trial_code import defined_at, kept_from_keras
from pedl2det_runtime.training import signals
from pedl2det_runtime.training.display import Display, Report
from pedl2det_runtime.training.evaluation import evaluate, explain, raise_first
from pedl2det_runtime.training.metric_checks import LossWarning
from pedl2det_runtime.training.rank_state_capture import RankStateCapture
from pedl2det_runtime.training.reports import Reports, Trace
from pedl2det_runtime.training.schedule import next_action, next_epoch_end, next_pause, next_stop
from pedl2det_runtime.training.stopping import StopByCallback, StopBySignal, ValidationChecks
from pedl2det_runtime.training.trial_setup import TrialSetup
from pedl2det_runtime.training.warm_start import WarmStart


class TrainingLoop(tf.keras.callbacks.Callback):
    """Trains one :class:`TrialSetup`, as the only callback that Keras sees."""

    _supports_tf_logs = True  # metrics are fetched where they are reported, not every batch

    def __init__(self, setup: TrialSetup) -> None:
        super().__init__()
        self._setup = setup
        self._schedule = setup.schedule
        self._callbacks = setup.callbacks
        state = setup.run.resume_point.state
        self._progress = state.progress
        self._first_batch = self._progress.batches
        self._stop_batch = self._first_batch
        self._callback_stop = StopByCallback(setup.context, setup.sync, state)
        self._workload_start = self._first_batch if state.workload is None else state.workload
        self._united_at = -1
        self._at_workload_start = False
        # For callbacks of old trials: metric sums since the epoch began, and before this batch.
        self._counts_epochs = setup.generation.epoch_is_one_pass and setup.callbacks.count > 0
        self._epoch_sums: dict[str, tuple[float, float]] = {}
        self._sums_before_batch: dict[str, tuple[float, float]] = {}
        self._rank_state = RankStateCapture(setup)
        self._warm_start = WarmStart(setup, setup.run.source) if setup.run.source else None
        self._display = setup.run.display if setup.context.fit_settings.verbose else Display()
        self._reports = self._trace = None  # only on the chief
        if setup.run.is_chief:
            out = setup.run.options.out
            self._reports = Reports(out, state.records)
            if setup.run.options.trace:
                self._trace = Trace(out, self._first_batch, setup.context.model)
        self._feed = setup.data.training_feed(self._first_batch)
        self._signal_stop = StopBySignal(setup.sync, self._feed)
        self._loss_warning = LossWarning(self._first_batch, setup.run.say)
        self._chunks = False

    @property
    def was_stopped(self) -> bool:
        """Whether a callback ended the training, for resumed runs too."""
        return self._callback_stop.is_agreed

    def train(self) -> Progress:
        """Train to the end, and return the progress."""
        try:
            with compiled_once(self._setup.context.model):
                self._train()
            if self._reports:
                self._reports.check()
        except Exception as error:
            explain(error, self._setup, self._feed, "training")
            raise_first(self._feed, as_lost(error) if self._setup.sync.size > 1 else error)
        finally:
            self._feed.reader.close()
            if self._reports:
                self._reports.sync()
            self._setup.checkpoints.close()
        if self._signal_stop.has_happened:
            raise Interrupted(signals.received() or signal.SIGTERM)
        return self._progress

    def _train(self) -> None:
        setup, model = self._setup, self._setup.context.model
        remaining = self._schedule.total - self._first_batch
        self._chunks = chunks.make_chunkable(model, remaining)
        dataset = self._open(model)
        if setup.sync.is_chief:
            setup.checkpoints.catch_up()
        setup.callbacks.keras("on_train_begin", {})
        own = setup.run.resume_point.own
        if own:
            setup.callbacks.load_states(own)
        elif self._warm_start:
            self._warm_start.restore_callbacks()
        self._callback_stop.collect()  # fit discards earlier requests
        with signals.deferred():
            self._act()
            if not self._is_over() and self._first_batch < self._schedule.total:
                self._fit(model, dataset)
                self._check_end()
        setup.callbacks.keras("on_train_end", {})
        if setup.sync.is_chief:
            setup.checkpoints.prune(training=self._signal_stop.has_happened)

    def _fit(self, model: Any, dataset: tf.data.Dataset) -> None:
        class_weight = self._setup.context.fit_settings.class_weight
        if class_weight and (graph_mode.is_chosen() or class_weights.has_weights(dataset)):
            dataset = class_weights.apply(dataset, class_weight)
            class_weight = None
        with self._callbacks.missing_metrics.silenced():
            type(model).fit(  # the wrapped model's own fit trains nothing
                model,
                graph_mode.readable(dataset),
                steps_per_epoch=self._schedule.total - self._first_batch,
                epochs=1,
                verbose=0,
                shuffle=False,
                class_weight=class_weight,
                callbacks=keras_versions.without_timing(self, model),
            )

    def _open(self, model: Any) -> tf.data.Dataset:
        """Open the training data at the first batch, with the model and all states restored."""
        point, sync = self._setup.run.resume_point, self._setup.sync
        if not (point.path and point.own):
            if self._warm_start:
                self._warm_start.restore_random()
            needs_variables = sync.size > 1 or self._warm_start is not None
            with defined_at(self._setup.definition("build_training_data_loader")):
                dataset = self._feed.open(model, build=needs_variables)
            if self._warm_start:
                self._warm_start.restore_model()
            sync.share_weights(model)
            return dataset
        self._rank_state.restore_data(point.own)
        dataset = self._feed.open(model, build=True)
        model_files.restore(
            point.path, model, self._first_batch, point.own, self._setup.changed_settings
        )
        self._rank_state.restore_built(point.own)
        return dataset

    # Hooks of Keras.

    @kept_from_keras()
    def on_train_begin(self, logs: Any = None) -> None:
        """Restore the metric sums of an unfinished epoch, and begin the first workload."""
        if own := self._setup.run.resume_point.own:
            self._rank_state.check_operations(own)
            self._epoch_sums = dict(own.epoch)
        self._begin_workload()
        self._set_chunk()

    @kept_from_keras()
    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Restore the metrics of an interrupted workload: Keras has just reset them."""
        own = self._setup.run.resume_point.own
        if own and self._workload_start < self._first_batch:
            self._rank_state.restore_metrics(own)

    @kept_from_keras()
    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Call the user's callbacks for the epoch, the workload and the batch that begin."""
        batches, epoch = self._progress.batches, self._schedule.epoch
        with self._one_batch(is_one=self._fetches_every_batch):
            if epoch and batches % epoch == 0:
                self._epoch_sums = {}
                self._callbacks.keras("on_epoch_begin", batches // epoch, {})
            if self._at_workload_start:
                self._at_workload_start = False
                requested = self._stop_batch - batches
                self._callbacks.determined("on_train_workload_begin", batches, requested, {})
        if self._callbacks.needs_every_training_batch:
            self._callbacks.of_batch("on_train_batch_begin", self._index_in_epoch(batches), {})
        if self._counts_epochs:
            self._sums_before_batch = metric_sums(self._setup.context.model)
        if self._trace:
            self._trace.begin_batch()

    @kept_from_keras()
    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Do what is due after the execution that ended with this batch."""
        logs = graph_mode.metrics_of(logs or {})
        batches = self._first_batch + batch + 1
        self._progress = replace(self._progress, batches=batches)
        self._display.advance(batches, self._schedule.total)
        of_batch = dict(logs)
        if self._counts_epochs:
            after = metric_sums(self._setup.context.model)
            of_batch |= add_batch(self._epoch_sums, self._sums_before_batch, after)
        if self._callbacks.needs_every_training_batch:
            index = self._index_in_epoch(batches - 1)
            named = self._setup.generation.with_aliases(self._metrics(of_batch))
            self._callbacks.of_batch("on_train_batch_end", index, named)
        if self._chunks or self._fetches_every_batch or batches == self._stop_batch:
            self._loss_warning.check(logs, batches)
        if self._trace:
            self._trace.end_batch(batches, self._metrics(logs))
        with self._one_batch(is_one=self._fetches_every_batch):
            self._act_after(batches, logs)
        self._set_chunk()

    def _act_after(self, batches: int, logs: dict[str, Any]) -> None:
        if self._schedule.epoch and batches % self._schedule.epoch == 0:
            generation, of_epoch = self._setup.generation, {}
            if generation.epoch_is_one_pass:
                means = self._metrics(logs | epoch_means(self._epoch_sums))
                of_epoch = generation.with_aliases(self._setup.sync.mean(means, training=True))
            self._callbacks.of_epoch(batches // self._schedule.epoch - 1, of_epoch)
        self._callback_stop.collect()
        self._signal_stop.measure(batches)
        if batches == self._stop_batch:
            self._end_workload(self._metrics(logs))
            self._begin_workload()
            self._signal_stop.restart_clock(batches)
        if not self._is_over() and self._signal_stop.is_due(batches):
            self._interrupt(self._rank_state.capture_within_workload())

    # Actions at a stop of the schedule.

    def _begin_workload(self) -> None:
        batches = self._progress.batches
        self._at_workload_start = self._workload_start == batches
        if batches < self._schedule.total:
            began = replace(self._progress, batches=self._workload_start)
            self._stop_batch = max(next_stop(self._schedule, began), batches + 1)
            pause = next_pause(self._schedule, self._progress)
            self._feed.horizon.made = min(pause, self._signal_stop.last_batch or pause)

    def _end_workload(self, metrics: dict[str, float]) -> None:
        batches, epochs = self._progress.batches, self._epochs()
        epoch = self._schedule.epoch
        counted = {"batches": batches, "epochs": batches // epoch if epoch else 0}
        metrics = self._setup.sync.mean(metrics, training=True)
        self._callbacks.determined("on_train_workload_end", batches, metrics | counted)
        self._callback_stop.agree()
        self._workload_start = batches
        self._report(Report("training", batches, epochs, metrics))
        self._act()
        self._setup.context.model.reset_metrics()
        if self._callback_stop.is_agreed:
            self._setup.context.model.stop_training = True

    def _act(self) -> None:
        """Validate and checkpoint, if that is due at the current batch."""
        while not self._signal_stop.has_happened and (
            action := next_action(
                self._schedule, self._progress, stopping=self._callback_stop.is_agreed
            )
        ):
            if self._united_at < self._progress.batches:
                self._setup.sync.unite(self._setup.context.model)
                self._united_at = self._progress.batches
            if action == "validate":
                self._validate()
            else:
                self._save()

    def _validate(self) -> None:
        batches = self._progress.batches
        before = random_state.host_state()
        checks = ValidationChecks(
            self._signal_stop.validation_interval,
            lambda: self._rank_state.may_repeat_validation(before),
            chunked=self._chunks,
        )
        validate, measured = self._setup.generation.validate, None
        with suppress(Interrupted), self._one_batch():
            measured = validate(batches) if validate else evaluate(self._setup, batches, checks)
        if self._setup.sync.any(measured is None):
            self._interrupt(replace(self._rank_state.capture(), random=before))
            return
        metrics = self._setup.sync.mean(measured or {})
        self._callbacks.on_test_end(metrics)
        self._callback_stop.agree()
        self._progress = replace(self._progress, last_validation=batches)
        metrics = scalars(metrics)
        is_best = self._setup.checkpoints.is_best(metrics)
        self._report(Report("validation", batches, self._epochs(), metrics, is_best))
        needs_checkpoint = self._setup.checkpoints.record_validation(batches, metrics)
        if needs_checkpoint and self._progress.last_checkpoint < batches and batches > 0:
            self._save()

    def _report(self, report: Report) -> None:
        if self._reports:
            self._reports.write(report)
        self._display.report(report, self._schedule.total)

    def _save(self) -> None:
        progress = replace(self._progress, last_checkpoint=self._progress.batches)
        self._write(progress, self._rank_state.capture())
        self._callback_stop.collect()
        self._progress = progress

    def _interrupt(self, own: RankState) -> None:
        """End the training on a signal, with a checkpoint that the schedule does not count."""
        setup = self._setup
        self._signal_stop.has_happened = True
        setup.context.model.stop_training = True
        self._callback_stop.share()
        if self._progress.last_checkpoint < self._progress.batches and self._progress.batches:
            setup.sync.unite(setup.context.model)
            self._write(self._progress, own)
        setup.checkpoints.wait()
        setup.sync.barrier()  # no rank leaves before the chief has written

    def _write(self, progress: Progress, own: RankState) -> None:
        if self._reports:
            self._reports.check()
            self._reports.sync()
        setup, context = self._setup, self._setup.context
        ranks = setup.sync.gather(replace(own, epoch=self._epoch_sums))
        if ranks is None or self._reports is None:
            return  # the chief writes
        state = State(
            progress=progress,
            records=self._reports.written,
            best=setup.checkpoints.best,
            seed=context.get_trial_seed(),
            slots=context.distributed.size,
            stopped=self._callback_stop.is_agreed,
            workload=self._workload_start if self._workload_start < progress.batches else None,
            wants_to_stop=self._callback_stop.is_pending,
        )
        setup.checkpoints.save(
            context.model,
            state,
            ranks,
            model_files.describe_spec(self._feed.spec),
            lambda path: self._callbacks.determined("on_checkpoint_end", str(path)),
        )

    def _check_end(self) -> None:
        """Raise an error if the data ended early, which Keras accepts."""
        batches, total = self._progress.batches, self._schedule.total
        if batches >= total or self._is_over():
            return
        raise self._feed.reader.error or InvalidExperimentException(
            f"the training data ended after {batches} of {total} batches: the dataset must "
            "yield its batches again in every pass, and must not be empty"
        )

    def _metrics(self, logs: dict[str, Any]) -> dict[str, float]:
        """Return the metrics of training, by their names in reports."""
        return self._setup.generation.reported("training", scalars(logs))

    def _one_batch(self, *, is_one: bool = False) -> AbstractContextManager[None]:
        """Execute one batch at a time while callbacks act: they may call ``predict_on_batch``.

        Do nothing if every execution has one batch anyway (``is_one``), to save time.
        """
        model = self._setup.context.model
        return chunks.one_batch(model) if self._chunks and not is_one else nullcontext()

    def _set_chunk(self) -> None:
        """Let the next execution run all batches until something is due."""
        batches = self._progress.batches
        if self._fetches_every_batch:
            until = batches + 1
        else:
            until = min(
                self._stop_batch, next_epoch_end(self._schedule, batches) or self._stop_batch
            )
            until = min(until, self._signal_stop.limit)
        self._feed.horizon.read = until
        if self._chunks:
            chunks.set_chunk(self._setup.context.model, max(until - batches, 1))

    @property
    def _fetches_every_batch(self) -> bool:
        return bool(self._trace or self._callbacks.needs_every_training_batch)

    def _is_over(self) -> bool:
        """Return whether a callback or a signal ends the training before its last batch."""
        return self._callback_stop.is_agreed or self._signal_stop.has_happened

    def _index_in_epoch(self, batches: int) -> int:
        return batches % self._schedule.epoch if self._schedule.epoch else batches

    def _epochs(self) -> float:
        """Return the number of passes over the training data; of reports, if it never ends."""
        generation, schedule = self._setup.generation, self._schedule
        # If an epoch is one pass, schedule.epoch is one step for a dataset, as callbacks saw it.
        epoch = generation.epoch if generation.epoch_is_one_pass else schedule.epoch
        epoch = epoch or self._setup.data.batches_in_pass or schedule.report_every
        return self._progress.batches / epoch
