"""Imported by the process from which trainings are forked: what each of them imports."""

import contextlib
import gc
import os

for number in (1, 2):
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)
with contextlib.suppress(Exception):  # which each training reports
    from pedl2det_runtime.backends import keras_versions

    keras_versions.choose_keras_2()
    keras_versions.load_tensorflow()
    import tensorflow as tf

    import pedl2det.verify.executed  # noqa: F401
    import pedl2det_runtime.training.run  # noqa: F401

    assert tf.keras.Model  # loaded when it is first used
    # It turns `a + b + c` into AddN, which sums in the order in which buffers happen to be free.
    tf.config.optimizer.set_experimental_options({"arithmetic_optimization": False})
gc.freeze()  # no training looks through all of it for garbage
