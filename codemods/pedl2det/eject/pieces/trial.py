import random

import numpy as np
import tensorflow as tf


class TFKerasTrial:
    """The base class of a trial: how to build its model, its data and its callbacks."""

    def __init__(self, context):
        self.context = context

    def session_config(self):
        """Return the thread counts of TensorFlow, as a ``tf.compat.v1.ConfigProto``."""
        return tf.compat.v1.ConfigProto()

    def keras_callbacks(self):
        """Return the callbacks of the training."""
        return []


class InvalidHP(Exception):
    """Raised by a trial for hyperparameters that do not fit together."""


def seed_everything(seed):
    """Seed Python, NumPy, TensorFlow and the layers that draw random numbers."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    tf.random.set_seed(seed)
    tf.keras.backend.experimental.enable_tf_random_generator()


def apply_session_config(config, seed):
    """Set TensorFlow's thread counts, and seed its global generator, which uses them."""
    if config is not None:
        threads = tf.config.threading
        if config.intra_op_parallelism_threads:
            threads.set_intra_op_parallelism_threads(
                config.intra_op_parallelism_threads
            )
        if config.inter_op_parallelism_threads:
            threads.set_inter_op_parallelism_threads(
                config.inter_op_parallelism_threads
            )
    tf.random.set_global_generator(tf.random.Generator.from_seed(seed))
