"""Read the checkpoints that PEDL and Determined wrote for Keras trials.

=============================================  ==============================================
file that tells the format                     written by
=============================================  ==============================================
``pedl-keras-model``                           PEDL: ``model.save`` in HDF5
``determined-keras-model``                     Determined up to 0.12.3: the same
``determined-keras-model.h5``                  Determined 0.12.4 to 0.13.7: the same
``determined-keras-model-weights.index``       Determined 0.13.8 to 0.38: weights in TensorFlow's
                                               format, the state of the optimizers in HDF5
``model_checkpoint.index``                     ``DeterminedCallback`` of 0.38: ``save_weights``
=============================================  ==============================================

Beside them there may be ``code/``, ``load_data.json`` (0.17.9 and later), ``metadata.json`` (0.38,
or written by a download), ``rng_state.pkl``, ``determined-callbacks.v1.pkl`` and
``workload_sequencer.pkl``. Nothing here runs code of a checkpoint or follows links in it.
"""
