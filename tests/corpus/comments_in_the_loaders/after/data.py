#!/usr/bin/env python
"""The data."""
# Rows come from elsewhere.
from rows import rows  # the reader


# Called by the harness.
def make_data_loaders(context):  # both at once
    """Gives training and validation data."""

    # A seed of its own.
    seed = context.get_trial_seed()  # an int

    return (
        # training
        rows("train", context.get_per_slot_batch_size(), seed),  # shuffled
        # validation
        rows("test", context.get_per_slot_batch_size()),
    )  # that is all
