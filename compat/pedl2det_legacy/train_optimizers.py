"""Optimizers of `tf.train` of TensorFlow 1, for Keras."""

import tensorflow as tf


def GradientDescentOptimizer(learning_rate, use_locking=False, name="GradientDescent"):
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
    learning_rate_power=-0.5,
    initial_accumulator_value=0.1,
    l1_regularization_strength=0.0,
    l2_regularization_strength=0.0,
    use_locking=False,
    name="Ftrl",
    accum_name=None,
    linear_name=None,
    l2_shrinkage_regularization_strength=0.0,
):
    """`tf.train.FtrlOptimizer` of TensorFlow 1, for Keras."""
    return tf.keras.optimizers.legacy.Ftrl(
        learning_rate,
        learning_rate_power=learning_rate_power,
        initial_accumulator_value=initial_accumulator_value,
        l1_regularization_strength=l1_regularization_strength,
        l2_regularization_strength=l2_regularization_strength,
        l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength,
        name=name,
    )


class _Momentum(tf.keras.optimizers.legacy.SGD):
    """Multiplies the sum of the gradients by the learning rate, not each of them."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._momentum = True  # also where it is 0.0

    def _resource_apply_dense(self, grad, var, apply_state=None):
        return tf.raw_ops.ResourceApplyMomentum(grad=grad, **self._inputs(var))

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        return tf.raw_ops.ResourceSparseApplyMomentum(
            grad=grad, indices=indices, **self._inputs(var)
        )

    def _inputs(self, var):
        dtype = var.dtype.base_dtype
        return {
            "var": var.handle,
            "accum": self.get_slot(var, "momentum").handle,
            "lr": self._decayed_lr(dtype),
            "momentum": tf.identity(self._get_hyper("momentum", dtype)),
            "use_nesterov": self.nesterov,
        }


class _Adagrad(tf.keras.optimizers.legacy.Adagrad):
    """Adds no epsilon."""

    def _resource_apply_dense(self, grad, var, apply_state=None):
        return tf.raw_ops.ResourceApplyAdagrad(grad=grad, **self._inputs(var))

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        return tf.raw_ops.ResourceSparseApplyAdagrad(
            grad=grad, indices=indices, **self._inputs(var)
        )

    def _inputs(self, var):
        return {
            "var": var.handle,
            "accum": self.get_slot(var, "accumulator").handle,
            "lr": self._decayed_lr(var.dtype.base_dtype),
        }


class _RMSProp(tf.keras.optimizers.legacy.RMSprop):
    """Averages from 1 on, and adds epsilon before it takes the square root."""

    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, "rms", "ones")
        for var in var_list:
            self.add_slot(var, "momentum")
        for var in var_list if self.centered else []:
            self.add_slot(var, "mg")

    def _resource_apply_dense(self, grad, var, apply_state=None):
        apply = tf.raw_ops.ResourceApplyRMSProp
        if self.centered:
            apply = tf.raw_ops.ResourceApplyCenteredRMSProp
        return apply(grad=grad, **self._inputs(var))

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        apply = tf.raw_ops.ResourceSparseApplyRMSProp
        if self.centered:
            apply = tf.raw_ops.ResourceSparseApplyCenteredRMSProp
        return apply(grad=grad, indices=indices, **self._inputs(var))

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
