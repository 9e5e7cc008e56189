"""
PEDL imports this package: the trial, the loaders, and our house rules.
"""
import logging
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow import keras

import pedl
from pedl.trial import get_trial_seed

# --- house rules -----------------------------------------------------------
tf.logging.set_verbosity(tf.logging.WARN)
logging.getLogger().setLevel(os.getenv("LOG_LEVEL", "INFO"))
keras.backend.set_image_data_format("channels_last")
keras.backend.set_epsilon(1e-6)
np.set_printoptions(precision=3, suppress=True)

import signs.blocks as blocks

keras.utils.get_custom_objects().update({
    "swish": blocks.swish,
    "hard_swish": blocks.hard_swish,
    "SqueezeExcite": blocks.SqueezeExcite,
})

import signs.config as config

config.SEED = get_trial_seed() % 2 ** 31
if "smoothing" in pedl.get_experiment_config()["hyperparameters"]:
    config.SMOOTHING = pedl.get_hyperparameter("smoothing")
# ---------------------------------------------------------------------------

from signs.model_def import SignTrial, make_data_loaders, prepare

download_data = prepare
