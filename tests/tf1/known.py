"""Differences from TensorFlow 1.14 that docs/tf1.md explains."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Trials that use what TensorFlow 1.14 does not have.
NOT_ON_TENSORFLOW_1 = {"digits_gan": "written for TensorFlow 2: its own train_step"}


@dataclass(frozen=True)
class Known:
    """A known difference.

    Attributes:
        trials: a regular expression for the names of its trials.
        difference: a regular expression for the column or the line of names.
        reason: why it is, in a few words.
    """

    trials: str
    difference: str
    reason: str


KNOWN = (
    Known(
        ".*",
        r"weights: .*(lstm|gru)(_\d+)?/\w+:0 there, .*(lstm|gru)_cell(_\d+)?/\w+:0 here",
        "the weights of a recurrent layer are named after its cell",
    ),
    Known(
        "cancer_tf_data|wine/",
        "no metric acc here",
        "written for TensorFlow 2, which says accuracy",
    ),
    Known(
        "cell_seg/const|digits/|digits_script/|glyph_transfer/",
        "data",
        "the transformations of ImageDataGenerator have other axes today",
    ),
    Known(
        "house_multi",
        "weights$|validation",
        "averages of BatchNormalization in Keras 2.2.4 were corrected for their start",
    ),
    Known(
        "progression_early",
        "data",
        "scikit-learn's copy of the diabetes data has more digits today",
    ),
)


def reason_of(trial: str, difference: str) -> str | None:
    """Return why a difference of a trial is known; None if it is not."""
    for known in KNOWN:
        if re.match(known.trials, trial) and re.match(known.difference, difference):
            return known.reason
    return None
