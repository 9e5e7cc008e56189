import tensorflow as tf


def compile_model(model, optimizer="rmsprop", *args, **kwargs):
    """Wrap a model and its optimizer, and compile the model."""
    optimizer = tf.keras.optimizers.get(optimizer, use_legacy_optimizer=True)
    wrapped = context().wrap_model(model)
    wrapped.compile(context().wrap_optimizer(optimizer), *args, **kwargs)
