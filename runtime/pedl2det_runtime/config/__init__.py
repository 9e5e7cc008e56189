"""Experiment configs: legacy steps and current lengths, read into one validated model.

Pure: no TensorFlow, no trial code.
"""

from pedl2det_runtime.config.hparams import sample_hparams
from pedl2det_runtime.config.model import ExperimentConfig, Length
from pedl2det_runtime.config.reader import read_config

__all__ = ["ExperimentConfig", "Length", "read_config", "sample_hparams"]
