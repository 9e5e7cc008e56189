"""Experiment configs: legacy steps and current lengths, read into one validated model.

Pure: no TensorFlow, no trial code. :mod:`~pedl2det_runtime.config.credentials` needs no pydantic
either: ``pedl2det migrate`` reads it.
"""
