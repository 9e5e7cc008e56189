"""Run a trial of PEDL or Determined 0.12 as it is, by an adapter on a context."""

import functools
import importlib
import inspect

import determined.keras
import tensorflow as tf

from pedl2det_legacy.bound_context import _is_bound, bind
from pedl2det_legacy.calls import called
from pedl2det_legacy.compiling import trained
from pedl2det_legacy.data_adapter import (
    training_loader,
    validation_loader,
    whole_batches,
)
from pedl2det_legacy.download import download_once
from pedl2det_legacy.epochs import with_epoch_logs, with_searched_metric
from pedl2det_legacy.float_targets import give_float_targets
from pedl2det_legacy.keras_trials import (
    data_adapter,
    named_metrics,
    named_metrics_by_output,
)
from pedl2det_legacy.run_getters import get_experiment_config, get_hyperparameters
from pedl2det_legacy.standalone_keras import standalone_losses, standalone_optimizer
from pedl2det_legacy.validation_metrics import ValidationMetrics


def _adapted(new):
    """Return a `__new__` that makes the adapter of a trial where it is given a context."""

    @functools.wraps(new)
    def adapted(cls, *args, **kwargs):
        for given in (*args, *kwargs.values()):
            if isinstance(given, determined.keras.TFKerasTrialContext):
                return cls._on_a_context(given)
        return new(cls, *args, **kwargs)  # code that makes one with hyperparameters

    return adapted


class PedlTrial(determined.keras.TFKerasTrial):
    """A trial of PEDL as it was written: its methods take the hyperparameters.

    What Determined makes of it, with a context, is an adapter that calls these methods
    as PEDL did.
    """

    #: The functions beside the trial, as `module:name`.
    data_loaders_function = ""
    download_data_function = ""

    @_adapted
    def __new__(cls, *args, **kwargs):
        return object.__new__(cls)

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if "__new__" in vars(cls):
            cls.__new__ = _adapted(cls.__new__)

    @classmethod
    def _on_a_context(cls, context):
        return _PedlTrialOnAContext(cls, context)

    def __dir__(self):
        """Return what a trial of PEDL had, and none of the methods of Determined."""
        harness = {*determined.keras.TFKerasTrial.__mro__[:-1], *PedlTrial.__mro__[:1]}
        kinds = [kind for kind in type(self).__mro__ if kind not in harness]
        names = {name for kind in kinds for name in vars(kind)} | vars(self).keys()
        return [*names, "session_config", "keras_callbacks"]

    def __init__(self, hparams=None):
        pass

    def session_config(self, hparams):
        """Return the settings of the session."""
        return tf.compat.v1.ConfigProto(allow_soft_placement=True)

    def keras_callbacks(self, hparams):
        """Return the callbacks of the training."""
        return []

    def build_training_data_loader(self):
        """Not called: the data come from `data_loaders_function`."""
        raise NotImplementedError

    build_validation_data_loader = build_training_data_loader


class EarlyTrial(determined.keras.TFKerasTrial):
    """A trial of Determined 0.12 as it was written."""

    def __new__(cls, *args, **kwargs):
        if _is_bound(*args, *kwargs.values()):  # a trial makes another
            return super().__new__(cls)
        return _EarlyTrialOnAContext(cls, *args, **kwargs)


class KerasTrial(PedlTrial):
    """A trial of PEDL whose model is compiled for it."""

    @classmethod
    def _on_a_context(cls, context):
        return _KerasTrialOnAContext(cls, context)

    def training_metrics(self):
        """Return the metrics of training batches, by name."""
        return {}


class KerasFunctionalTrial(KerasTrial):
    """A KerasTrial with losses and metrics by output."""


class _OnAContext(determined.keras.TFKerasTrial):
    """Calls an old trial as its harness did; the rest is of today."""

    _with_metrics = None

    def __init__(self, trial_class, context):
        self.context = context
        self._training = None
        context.configure_fit(shuffle=False)
        bind(context)
        self._make(trial_class)

    def build_model(self):
        """Return the model that the trial returns, compiled for the context."""
        return trained(self.context, self._call("build_model"))

    def keras_callbacks(self):
        """Return the callbacks of the trial, with the epochs that they had."""
        callbacks = self._call("keras_callbacks")
        trial = self._with_metrics
        callbacks = with_epoch_logs(self.context, callbacks, self._training, trial)
        return with_searched_metric(self.context, callbacks)

    def build_training_data_loader(self):
        """Return the training data of the trial."""
        self._training = self._data(0)
        return training_loader(self.context, self._training, self._size())

    def build_validation_data_loader(self):
        """Return the validation data of the trial."""
        return validation_loader(self.context, self._data(1), self._size())

    def session_config(self):
        """Return the settings of the session of the trial."""
        return self._call("session_config")


class _EarlyTrialOnAContext(_OnAContext):
    def build_model(self):
        """Return the model that the trial wraps last; else the one that it returns."""
        wrapped = []
        self.context.wrap_model = lambda model: wrapped.append(model) or model
        self.context.wrap_optimizer = lambda optimizer: optimizer
        try:
            returned = self._call("build_model")
        finally:
            del self.context.wrap_model, self.context.wrap_optimizer
        return trained(self.context, [returned, *wrapped][-1])

    def _make(self, trial_class):
        self._old = object.__new__(trial_class)
        self._old.__init__(self.context)

    def _call(self, method):
        function = getattr(self._old, method)
        hparams = inspect.signature(function).parameters.get("hparams")
        if hparams is not None and hparams.default is hparams.empty:
            return function(hparams=dict(self.context.get_hparams()))
        return function()

    def _data(self, role):
        if role:
            return self._old.build_validation_data_loader()
        loader, size = self._old.build_training_data_loader(), self._size()
        if not isinstance(loader, tuple):
            return loader
        return whole_batches(*loader, batch_size=size)

    def _size(self):
        return self.context.get_per_slot_batch_size()


class _PedlTrialOnAContext(_OnAContext):
    def build_model(self):
        """Return the model that the trial returns, compiled for the context."""
        return give_float_targets(super().build_model())

    def _make(self, trial_class):
        self._hparams, self._loaders = get_hyperparameters(), None
        download = self._place("download_data_function", trial_class)
        if download:
            function = _function(download)
            download_once(self.context, lambda: self._call_function(function))
        new = functools.partial(trial_class.__new__, trial_class)
        self._old = called(new, hparams=self._hparams)
        called(self._old.__init__, hparams=self._hparams)

    def _call(self, method):
        return called(getattr(self._old, method), hparams=self._hparams)

    def _call_function(self, function):
        config = get_experiment_config()
        return called(function, experiment_config=config, hparams=self._hparams)

    def _place(self, key, trial):
        """Return where a function is: as the old config says, or beside the trial."""
        entrypoints = get_experiment_config().get("entrypoints") or {}
        return entrypoints.get(key) or getattr(trial, key)

    def _data(self, role):
        if self._loaders is None:
            place = self._place("data_loaders_function", self._old)
            function = _function(place)
            self._loaders = self._call_function(function)
        return self._loaders[role]

    def _size(self):
        return self._hparams.get("batch_size")


class _KerasTrialOnAContext(_PedlTrialOnAContext):
    _with_metrics = property(lambda self: self._old)

    def _size(self):
        return self._old.batch_size()

    def build_model(self):
        """Return the model, compiled with what the methods of the trial return."""
        trial = self._old
        model = self.context.wrap_model(self._call("build_model"))
        optimizer = standalone_optimizer(trial.optimizer())
        optimizer = self.context.wrap_optimizer(optimizer)
        by_output = isinstance(trial, KerasFunctionalTrial)
        loss = standalone_losses(trial.losses() if by_output else trial.loss())
        named = named_metrics_by_output if by_output else named_metrics
        metrics = named(trial)
        model.compile(optimizer, loss=loss, metrics=metrics)
        trial.model = give_float_targets(model)
        return model

    def keras_callbacks(self):
        """Return the callbacks, and the one that computes the validation's metrics."""
        trial = self._old
        trial.validation_data_adapter = data_adapter(self._data(1), self._size())
        callbacks = super().keras_callbacks()
        if hasattr(type(trial), "compute_validation_metrics"):
            callbacks = [
                ValidationMetrics(trial),
                *callbacks,
            ]  # which get these metrics
        return callbacks


def _function(place):
    """Return what `module:name` names."""
    module, _, name = place.partition(":")
    return functools.reduce(getattr, name.split("."), importlib.import_module(module))
