"""The base class of optimizers in standalone Keras 2.2.4."""

import tensorflow as tf


class KerasOptimizer(tf.keras.optimizers.legacy.Optimizer):
    """`keras.optimizers.Optimizer`, whose `get_updates` returns what a step assigns.

    A step reads all variables before it assigns any of them.
    """

    def __init__(self, **kwargs):
        super().__init__(kwargs.pop("name", type(self).__name__))
        self._clips, self._step, self._gradients = kwargs, None, []
        self.updates = []

    def __setattr__(self, name, value):
        if name in ("lr", "learning_rate") and hasattr(value, "assign"):
            self._hyper["learning_rate"] = value
        object.__setattr__(self, name, value)

    def _create_hypers(self):
        pass  # the constructor has created them

    @property
    def weights(self):
        """The state, once `get_updates` has created it."""
        return self._weights if self._step is not None else []

    @weights.setter
    def weights(self, variables):
        self._weights = list(variables)

    def get_config(self):
        """Return the arguments of the base class."""
        return dict(self._clips)

    def get_gradients(self, loss, params):
        """Return the gradients of the step, clipped as Keras 2.2.4 clipped them."""
        norm, value = (self._clips.get(name, 0) for name in ("clipnorm", "clipvalue"))
        gradients = self._gradients
        if loss is not None:  # graph mode calls get_updates itself
            gradients = tf.gradients(loss, params)
        if norm > 0:
            gradients = tf.clip_by_global_norm(gradients, norm)[0]
        if value > 0:
            gradients = [tf.clip_by_value(one, -value, value) for one in gradients]
        return gradients

    def apply_gradients(
        self, grads_and_vars, name=None, experimental_aggregate_gradients=True
    ):
        """Run the updates of `get_updates`."""
        pairs = [(one, variable) for one, variable in grads_and_vars if one is not None]
        with tf.init_scope():
            self._create_all_weights([variable for _, variable in pairs])
        if experimental_aggregate_gradients:
            pairs = self._aggregate_gradients(pairs)
        steps = self._step(*(tf.convert_to_tensor(gradient) for gradient, _ in pairs))
        # What depends on all updates runs in a tf.function.
        return self.iterations.assign(steps)

    def _create_slots(self, var_list):
        if self._step is None:
            specs = [tf.TensorSpec(one.shape, one.dtype) for one in var_list]
            self._step = tf.compat.v1.wrap_function(
                lambda *gradients: self._updated(gradients, var_list), specs
            )

    def _updated(self, gradients, params):
        self._gradients = list(gradients)
        with tf.variable_creator_scope(_with_own_name):
            updates = self.get_updates(loss=None, params=params)
        updates = [
            one[0].assign(one[1]) if isinstance(one, tuple) else one for one in updates
        ]
        operations = tf.compat.v1.get_default_graph().get_operations()
        for assign in filter(_is_assignment, operations):
            reads = [
                one
                for one in assign.inputs[0].consumers()
                if one is not assign
                and not _is_assignment(one)
                and not any(map(_is_assignment, one.control_inputs))
            ]
            assign._add_control_inputs(reads)
        updates = [
            one if isinstance(one, tf.Operation) else tf.identity(one)
            for one in updates
        ]
        with tf.control_dependencies(updates):
            return tf.identity(self.iterations.read_value())


def _is_assignment(operation):
    return operation.type.startswith("Assign")


def _with_own_name(create, **kwargs):
    graph = tf.compat.v1.get_default_graph()
    return create(
        **{**kwargs, "name": graph.unique_name(kwargs.get("name") or "Variable")}
    )


def with_own_gradients(transform):
    """Return a method that gives the gradients which an overridden `get_gradients` makes of them.

    Since TensorFlow 2 a training does not call it; `get_updates` needs graph mode.
    """

    def transform_gradients(self, grads_and_vars):
        pairs = list(transform(self, grads_and_vars))
        base, own = tf.keras.optimizers.legacy.Optimizer, type(self)
        if not tf.compat.v1.executing_eagerly_outside_functions():
            return pairs
        if own.get_updates is not base.get_updates:
            name = f"{own.__name__}.get_updates"
            raise RuntimeError(f"{name}: not compatible with eager execution")
        if own.get_gradients is not base.get_gradients:
            gradients, variables = zip(*pairs)
            object.__setattr__(self, "_computed_gradients", list(gradients))
            pairs = list(zip(self.get_gradients(None, list(variables)), variables))
        return pairs

    return transform_gradients


def with_dense_gradients(transform):
    """Return a method that gives all rows of an embedding a gradient, also those of no record.

    A momentum goes on moving them.
    """

    def transform_gradients(self, grads_and_vars):
        return [
            (tf.convert_to_tensor(one), variable)
            for one, variable in transform(self, grads_and_vars)
        ]

    return transform_gradients


def with_computed_gradients(get):
    """Return a method that gives the gradients of a step, which knows no loss."""

    def get_gradients(self, loss, params):
        return get(self, loss, params) if loss is not None else self._computed_gradients

    return get_gradients


def with_setter(weights):
    """Return the property of an optimizer's state, which its `get_updates` sets."""
    return property(
        lambda self: weights.fget(self),
        lambda self, variables: vars(self).update(_weights=variables),
    )


def from_zero(make):
    """Return a class method that makes an `Adagrad` of a config, whose sums begin at 0."""

    def from_config(cls, config, custom_objects=None):
        return make({"initial_accumulator_value": 0.0, **config}, custom_objects)

    return classmethod(from_config)
