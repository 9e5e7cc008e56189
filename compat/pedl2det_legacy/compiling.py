"""Record how models are compiled. Importing it changes `Model.compile`."""

import functools
import inspect
import weakref

import tensorflow as tf


def trained(context, model):
    """Have the trial train this compiled model: wrap it, and compile it as before."""
    if model not in _compiled:
        raise ValueError(
            f"build_model must return a model that was compiled, got {model!r}"
        )
    args, kwargs, trainable, optimizer = _compiled[model]
    now, is_eager = getattr(model, "optimizer", None), model._run_eagerly

    def given(value):
        value = now if value is not None and value is optimizer else value
        is_optimizer = hasattr(value, "apply_gradients")
        return context.wrap_optimizer(value) if is_optimizer else value

    args = [given(value) for value in args]
    kwargs = {name: given(value) for name, value in kwargs.items()}
    since = _trainable(model)
    _set_trainable(trainable)  # what is set after compile has no effect on the training
    model = context.wrap_model(model)
    model.compile(*args, **kwargs)
    model._run_eagerly = is_eager
    _set_trainable(since)
    return model


def _trainable(model):
    """Return the model and each layer in it, with whether it is trained."""
    layers = {}
    _collect_layers(model, layers)
    return [(layer, layer.trainable) for layer in layers.values()]


def _collect_layers(value, layers):
    """Add the layers in a value to `layers`, by their ids.

    `Model.submodules` fails once a recurrent layer has made a mask for its dropout.
    """
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tf.keras.layers.Layer) and id(value) not in layers:
        layers[id(value)] = value
        value = list(vars(value).values())
    if isinstance(value, (list, tuple)):
        for each in value:
            _collect_layers(each, layers)


def _set_trainable(flags):
    """Set it again; what a layer is set to, its own layers are set to as well."""
    for _ in flags:
        wrong = [(layer, flag) for layer, flag in flags if layer.trainable != flag]
        for layer, flag in wrong:
            layer.trainable = flag
        if not wrong:
            break


def _record_compile():
    """Keep the arguments with which each model is compiled last.

    An optimizer that a name or a dict describes is what that meant before Keras 2.11.
    """
    compiled = weakref.WeakKeyDictionary()

    def record(owner):
        for each in owner.__subclasses__():
            record(each)
        if "compile" not in vars(owner):
            return
        compile_model = owner.compile

        @functools.wraps(compile_model)
        def recorded(model, /, *args, **kwargs):
            bound = inspect.signature(compile_model).bind(model, *args, **kwargs)
            bound.apply_defaults()
            name = bound.arguments.get("optimizer")
            if isinstance(name, (str, dict)):
                made = tf.keras.optimizers.get(name, use_legacy_optimizer=True)
                bound.arguments["optimizer"] = made
            result = compile_model(*bound.args, **bound.kwargs)
            # The outermost call is last.
            state = _trainable(model), getattr(model, "optimizer", None)
            compiled[model] = bound.args[1:], bound.kwargs, *state
            return result

        owner.compile = recorded

    def record_subclass(owner, **options):
        super(tf.keras.Model, owner).__init_subclass__(**options)
        record(owner)

    record(tf.keras.Model)
    tf.keras.Model.__init_subclass__ = classmethod(record_subclass)
    return compiled


_compiled = _record_compile()
