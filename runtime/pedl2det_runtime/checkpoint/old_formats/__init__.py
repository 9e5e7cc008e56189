"""Read the checkpoints that PEDL and Determined wrote for Keras trials (docs/checkpoints.md).

Beside the model there may be ``code/``, ``load_data.json`` (0.17.9 and later), ``metadata.json``
(0.38, or written by a download), ``rng_state.pkl``, ``determined-callbacks.v1.pkl`` and
``workload_sequencer.pkl``. Nothing here runs code of a checkpoint or follows links in it.
"""
