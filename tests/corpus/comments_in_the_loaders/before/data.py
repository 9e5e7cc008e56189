#!/usr/bin/env python
"""The data."""
# Rows come from elsewhere.
import pedl  # for the seed
from rows import rows  # the reader


# Called by the harness.
def make_data_loaders(experiment_config, hparams):  # both at once
    """Gives training and validation data."""

    # A seed of its own.
    seed = pedl.get_trial_seed()  # an int

    return (
        # training
        rows("train", hparams["batch_size"], seed),  # shuffled
        # validation
        rows("test", hparams["batch_size"]),
    )  # that is all
