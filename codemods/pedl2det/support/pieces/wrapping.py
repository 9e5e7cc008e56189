import tensorflow as tf


def wrap_dataset(dataset):
    """Give each process its share of a tf.data.Dataset, or of each in a dict or tuple."""
    return tf.nest.map_structure(
        lambda part: (
            context().wrap_dataset(part) if isinstance(part, tf.data.Dataset) else part
        ),
        dataset,
    )


def wrap_model(model):
    """Make this the model that is trained; outside of a trial it stays as it is."""
    return model if _bound_context is None else _bound_context.wrap_model(model)


def wrap_optimizer(optimizer):
    """Make this the optimizer that trains; outside of a trial it stays as it is."""
    if _bound_context is None:
        return optimizer
    return _bound_context.wrap_optimizer(optimizer)


def optimizer(identifier):
    """Return what `compile(optimizer=identifier)` meant before Keras 2.11."""
    return tf.keras.optimizers.get(identifier, use_legacy_optimizer=True)
