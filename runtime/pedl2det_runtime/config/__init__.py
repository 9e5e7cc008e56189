"""Read and validate experiment configs of every API generation.

No module here imports TensorFlow or trial code. :mod:`~pedl2det_runtime.config.credentials` does
not import pydantic either, because ``pedl2det migrate`` imports it.
"""
