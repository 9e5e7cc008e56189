"""Train a trial for some batches on TensorFlow 1.14 and Keras 2.2.4, in Python 3.7.

    python -m tf1.old.there TASK.json DIRECTORY

The task is ``Task`` of ``tf1/__main__.py``. ``DIRECTORY/there.json`` gets the metrics and the
learning rate of each batch, the metrics of the validation, and names; ``DIRECTORY/there.npz`` the
weights before and after, and the batches.
"""

import functools
import importlib
import json
import os
import runpy
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import tensorflow as tf

from tf1.old import recording, stand_ins
from tf1.old.batches import as_batches
from tf1.old.training import ROLES, Training


def main():
    """Train the trial of a task."""
    task_file, out = map(os.path.abspath, sys.argv[1:])
    with open(task_file) as file:
        task = json.load(file)
    sys.path[0] = task["directory"]  # in place of the working directory
    os.chdir(task["directory"])
    for package in (tf.keras, keras):
        recording.drop_nothing(package.layers)
        recording.set_precision(package, task["floatx"])
    order_updates()
    recording.seed_host(task["seed"])
    tf.compat.v1.set_random_seed(task["seed"])
    stand_ins.install(task)
    _train(task, out)


def order_updates():
    """Order what Keras 2.2.4 leaves to chance: first all gradients, then updates, then the count.

    The count of updates is read by decays of the learning rate and by ``Adam``.
    """
    kinds = [kind for kind in vars(keras.optimizers).values() if isinstance(kind, type)]
    for kind in kinds:
        if issubclass(kind, keras.optimizers.Optimizer) and "get_updates" in vars(kind):
            kind.get_updates = _counted_last(kind.get_updates)
    keras.optimizers.Optimizer.get_gradients = _computed_first(
        keras.optimizers.Optimizer.get_gradients
    )


def _computed_first(get_gradients):
    def ordered(self, loss, params):
        gradients = get_gradients(self, loss, params)
        with tf.control_dependencies(gradients):
            return [tf.identity(gradient) for gradient in gradients]

    return ordered


def _counted_last(get_updates):
    @functools.wraps(get_updates)
    def ordered(self, *args, **kwargs):
        updates = get_updates(self, *args, **kwargs)
        counts = [update for update in updates if "iterations" in update.op.inputs[0].name]
        others = [update.op for update in updates if update not in counts]
        for count in counts:
            count.op._add_control_inputs(others)
        return updates

    return ordered


def _train(task, out):
    config = task["config"]
    entrypoint, places = config.get("entrypoint"), config.get("entrypoints")
    if isinstance(entrypoint, dict):
        _train_script(task, out, entrypoint["script"])
    elif entrypoint:
        _train_context_trial(task, out, _imported(entrypoint))
    elif places:
        functions = {
            key[: -len("_function")]: _imported(places[key]) for key in places if "function" in key
        }
        functions["make_data_loaders"] = functions.pop("data_loaders")
        _train_pedl_trial(task, out, _imported(places["trial_class"]), **functions)
    else:
        held = runpy.run_path("__init__.py")
        (trial_class,) = {
            kind
            for kind in held.values()
            if isinstance(kind, type)
            and issubclass(kind, stand_ins.PEDLTrial)
            and kind.__module__ != stand_ins.__name__
        }
        names = ("make_data_loaders", "download_data")
        _train_pedl_trial(task, out, trial_class, **{n: held[n] for n in names if n in held})


def _imported(place):
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def _train_pedl_trial(task, out, trial_class, make_data_loaders, download_data=None):
    config, hparams = task["config"], task["hparams"]
    if download_data:
        stand_ins.downloaded.append(download_data(config, hparams))
    trial = trial_class(hparams)
    is_keras_trial = isinstance(trial, stand_ins.KerasTrial)
    package = keras if is_keras_trial else tf.keras
    package.backend.set_session(tf.compat.v1.Session(config=trial.session_config(hparams)))
    loaders = [as_batches(one, task["batch_size"]) for one in make_data_loaders(config, hparams)]
    model = trial.build_model(hparams)
    if is_keras_trial:
        _compile(trial, model)
    callbacks = trial.keras_callbacks(hparams)
    own = getattr(trial, "compute_validation_metrics", None)
    if own:
        trial.model, trial.validation_data_adapter = model, stand_ins.KerasDataAdapter(loaders[1])
    Training(task, model, callbacks, out).run(*loaders, own=own)


def _compile(trial, model):
    """Compile the model of a ``KerasTrial`` with the metrics of both roles."""
    roles = zip(ROLES, (trial.training_metrics(), trial.validation_metrics()))
    metrics = [(role + name, metric) for role, named in roles for name, metric in named.items()]
    if isinstance(trial, stand_ins.KerasFunctionalTrial):
        by_output = {}
        for name, (output, metric) in metrics:
            by_output.setdefault(output, []).append(_called(name, metric))
        model.compile(trial.optimizer(), trial.losses(), by_output)
    else:
        model.compile(trial.optimizer(), trial.loss(), [_called(*metric) for metric in metrics])


def _called(name, metric):
    """Return a metric under the name that Keras is to report."""

    @functools.wraps(metric)
    def called(y_true, y_pred):
        return metric(y_true, y_pred)

    called.__name__ = name
    return called


def _train_context_trial(task, out, trial_class):
    context = stand_ins.Context(task)
    trial = trial_class(context)
    session = tf.compat.v1.Session(config=trial.session_config())
    tf.keras.backend.set_session(session)
    size, is_legacy = task["batch_size"], task["is_legacy"]
    training = as_batches(trial.build_training_data_loader(), size, drops_rest=is_legacy)
    validation = as_batches(trial.build_validation_data_loader(), size)
    trial.build_model()
    epoch = None if is_legacy else task["config"].get("records_per_epoch", 0) // size
    Training(task, context.model, trial.keras_callbacks(), out).run(
        training, validation, epoch, **context.fit_settings
    )


def _train_script(task, out, script):
    def fit_generator(model, generator, *args, **kwargs):
        callbacks = kwargs.get("callbacks") or []
        Training(task, model, callbacks, out).run(generator, kwargs["validation_data"])
        return keras.callbacks.History()

    keras.models.Model.fit_generator = fit_generator
    keras.models.Sequential.fit_generator = fit_generator
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
