"""Experiment configs: legacy steps and current lengths, read into one validated model.

Pure: no TensorFlow, no trial code.
"""

from pedl2det_runtime.config.hparams import sample_hparams
from pedl2det_runtime.config.model import CheckpointStorage, ExperimentConfig, Length, Optimizations
from pedl2det_runtime.config.notices import notices
from pedl2det_runtime.config.reader import config_from, read_config
from pedl2det_runtime.credentials import scrubbed, without_credentials

__all__ = [
    "CheckpointStorage",
    "ExperimentConfig",
    "Length",
    "Optimizations",
    "config_from",
    "notices",
    "read_config",
    "sample_hparams",
    "scrubbed",
    "without_credentials",
]
