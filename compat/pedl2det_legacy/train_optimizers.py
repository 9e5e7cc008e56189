"""Optimizers of `tf.train` of TensorFlow 1, for Keras."""

import tensorflow as tf


def GradientDescentOptimizer(learning_rate, use_locking=False, name="SGD"):
    """`tf.train.GradientDescentOptimizer` of TensorFlow 1, for Keras."""
    return tf.keras.optimizers.legacy.SGD(learning_rate, name=name)


def MomentumOptimizer(
    learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False
):
    """`tf.train.MomentumOptimizer` of TensorFlow 1, for Keras."""
    return _Momentum(learning_rate, momentum, use_nesterov, name)


def AdagradOptimizer(
    learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"
):
    """`tf.train.AdagradOptimizer` of TensorFlow 1, for Keras."""
    return _Adagrad(
        learning_rate, initial_accumulator_value=initial_accumulator_value, name=name
    )


def RMSPropOptimizer(
    learning_rate,
    decay=0.9,
    momentum=0.0,
    epsilon=1e-10,
    use_locking=False,
    centered=False,
    name="RMSProp",
):
    """`tf.train.RMSPropOptimizer` of TensorFlow 1, for Keras."""
    return _RMSProp(learning_rate, decay, momentum, epsilon, centered, name)


def AdamOptimizer(
    learning_rate=0.001,
    beta1=0.9,
    beta2=0.999,
    epsilon=1e-08,
    use_locking=False,
    name="Adam",
):
    """`tf.train.AdamOptimizer` of TensorFlow 1, for Keras."""
    return tf.keras.optimizers.legacy.Adam(
        learning_rate, beta_1=beta1, beta_2=beta2, epsilon=epsilon, name=name
    )


def AdadeltaOptimizer(
    learning_rate=0.001, rho=0.95, epsilon=1e-08, use_locking=False, name="Adadelta"
):
    """`tf.train.AdadeltaOptimizer` of TensorFlow 1, for Keras."""
    return tf.keras.optimizers.legacy.Adadelta(
        learning_rate, rho=rho, epsilon=epsilon, name=name
    )


def FtrlOptimizer(
    learning_rate,
    *options,
    use_locking=False,
    accum_name=None,
    linear_name=None,
    **more,
):
    """`tf.train.FtrlOptimizer` of TensorFlow 1, for Keras."""
    return tf.keras.optimizers.legacy.Ftrl(learning_rate, *options, **more)


class _ByOldOperation:
    """Applies gradients with an operation of TensorFlow 1."""

    def _resource_apply_dense(self, grad, var, apply_state=None):
        apply = getattr(tf.raw_ops, f"ResourceApply{self._operation}")
        return apply(grad=grad, **self._inputs(var))

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        apply = getattr(tf.raw_ops, f"ResourceSparseApply{self._operation}")
        return apply(grad=grad, indices=indices, **self._inputs(var))


class _Momentum(_ByOldOperation, tf.keras.optimizers.legacy.SGD):
    """Multiplies the sum of the gradients by the learning rate, not each of them."""

    _operation = "Momentum"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._momentum = True  # also where it is 0.0

    def _inputs(self, var):
        dtype = var.dtype.base_dtype
        return {
            "var": var.handle,
            "accum": self.get_slot(var, "momentum").handle,
            "lr": self._decayed_lr(dtype),
            "momentum": tf.identity(self._get_hyper("momentum", dtype)),
            "use_nesterov": self.nesterov,
        }


class _Adagrad(_ByOldOperation, tf.keras.optimizers.legacy.Adagrad):
    """Adds no epsilon."""

    _operation = "Adagrad"

    def _inputs(self, var):
        return {
            "var": var.handle,
            "accum": self.get_slot(var, "accumulator").handle,
            "lr": self._decayed_lr(var.dtype.base_dtype),
        }


class _RMSProp(_ByOldOperation, tf.keras.optimizers.legacy.RMSprop):
    """Averages from 1 on, and adds epsilon before it takes the square root."""

    @property
    def _operation(self):
        return "CenteredRMSProp" if self.centered else "RMSProp"

    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, "rms", "ones")
        for var in var_list:
            self.add_slot(var, "momentum")
        for var in var_list if self.centered else []:
            self.add_slot(var, "mg")

    def _inputs(self, var):
        dtype = var.dtype.base_dtype
        slots = {"ms": "rms", "mom": "momentum"}
        if self.centered:
            slots["mg"] = "mg"
        return {
            **{key: self.get_slot(var, slot).handle for key, slot in slots.items()},
            "var": var.handle,
            "lr": self._decayed_lr(dtype),
            "rho": tf.identity(self._get_hyper("rho", dtype)),
            "momentum": tf.identity(self._get_hyper("momentum", dtype)),
            "epsilon": tf.constant(self.epsilon, dtype),
        }
