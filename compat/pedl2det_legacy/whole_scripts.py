"""Train a script as it is: it runs in a thread, which waits where it calls `fit`."""

import asyncio
import contextlib
import functools
import importlib.machinery
import inspect
import pathlib
import queue
import sys
import threading
import types

import determined.keras
import numpy as np
import tensorflow as tf

from pedl2det_legacy.bound_context import bind
from pedl2det_legacy.compiling import trained
from pedl2det_legacy.epochs import with_searched_metric
from pedl2det_legacy.fit_arguments import bind_fit
from pedl2det_legacy.old_layers import keras_module
from pedl2det_legacy.script_data import Fit, started


class ScriptTrial(determined.keras.TFKerasTrial):
    """Trains what a script gives to `fit`, where the script waits for the training."""

    #: The file of the script, beside that of the trial.
    script = ""

    def __init__(self, context):
        self.context = context
        bind(context)
        path = pathlib.Path(inspect.getfile(type(self))).with_name(self.script)
        context.wrap_model = context.wrap_optimizer = lambda given: given  # build_model
        try:
            self.fit = started(fits_of(str(path)), context)
        finally:
            del context.wrap_model, context.wrap_optimizer
        context.configure_fit(shuffle=False, **self.fit.settings)

    def build_model(self):
        """Return the model, compiled for the context."""
        return trained(self.context, self.fit.model)

    def build_training_data_loader(self):
        """Return the training data of the script."""
        return self.fit.training_data

    def build_validation_data_loader(self):
        """Return the validation data of the script."""
        return self.fit.validation_data

    def keras_callbacks(self):
        """Return the callbacks of the script, with the epochs that they had."""
        callbacks = self.fit.callbacks_with_epochs(self.context)
        return with_searched_metric(self.context, callbacks)


def fits_of(path):
    """Run a script as `__main__`; yield what it gives to `fit`, which returns what is sent."""
    asked, answered = queue.SimpleQueue(), queue.SimpleQueue()
    objects = keras_module("saving.object_registration")._THREAD_LOCAL_CUSTOM_OBJECTS
    graphs = sys.modules[tf.Graph.__module__]._default_graph_stack
    of_threads = objects, keras_module("backend")._GRAPH, graphs
    session = _session()

    def run():
        asyncio.set_event_loop(asyncio.new_event_loop())
        sys.argv = [path]
        sys.path.insert(0, str(pathlib.Path(path).parent))
        loader = importlib.machinery.SourceFileLoader("__main__", path)
        before, main = sys.modules["__main__"], types.ModuleType("__main__")
        main.__file__, sys.modules["__main__"] = path, main
        if session:  # as its own, which the script may clear
            graphs._global_default_graph = session.graph
            tf.compat.v1.keras.backend.set_session(session)
        try:
            loader.exec_module(main)
        except BaseException as error:  # noqa: BLE001 - raised below
            asked.put(error)
        else:
            asked.put(None)
        finally:
            sys.modules["__main__"] = before

    def fit(*args, **kwargs):
        graph = {"_global_default_graph": tf.compat.v1.get_default_graph()}
        own = *map(vars, of_threads[:2]), graph
        asked.put((Fit(*args, **kwargs), own, np.geterr(), _session()))
        return answered.get()

    _give_fits(threading.current_thread(), fit)
    threading.Thread(target=run, daemon=True).start()
    while isinstance(given := asked.get(), tuple):
        given, own, errors, its_session = given
        np.seterr(**errors)
        for local, values in zip(of_threads, own):  # scopes around it, names of layers
            vars(local).update(values)
        with _as_default(its_session):
            answered.put((yield given))
    if given is not None:
        raise given


def _session():
    """Return the session of graph mode that this thread has; None in eager mode."""
    return None if tf.executing_eagerly() else tf.compat.v1.keras.backend.get_session()


@contextlib.contextmanager
def _as_default(session):
    """Give a session and its graph to this thread."""
    with contextlib.ExitStack() as inner:
        for given in [session.graph, session] if session else []:
            inner.enter_context(given.as_default())
        yield


def _give_fits(trainer, fit):
    """Call this function in place of `fit` and `fit_generator` of any model.

    The thread that trains calls `fit` of Keras.
    """
    in_graph_mode = [
        kind for kind in tf.keras.Model.__subclasses__() if kind.__name__ == "Model"
    ]
    for kind in (tf.keras.Model, *in_graph_mode):
        for name in vars(kind).keys() & {"fit", "fit_generator"}:
            setattr(kind, name, _given(trainer, getattr(kind, name), fit))


def _given(trainer, original, fit):
    @functools.wraps(original)
    def fit_or_train(model, *args, **kwargs):
        if threading.current_thread() is trainer:
            return original(model, *args, **kwargs)
        bound = bind_fit(original, model, *args, **kwargs)
        (_, data), *others = [*bound.arguments.items()][1:]
        return fit(model, data, **dict(others))

    return fit_or_train
