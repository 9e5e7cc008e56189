"""What happened around the trial's module when the old harness imported the package.

The old harness imported ``__init__.py`` first. Where that does more than to name the trial and its
data, the new entrypoint is ``__init__:Trial``, so that all of it happens as before.
"""

from __future__ import annotations

from collections.abc import Iterable

from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import ConfigNeed, Fix

NAME = "surroundings"

_ENTRY = "the entrypoint is in __init__.py, because this has to happen before the trial is used"


def check(trial: Trial) -> Iterable[Fix]:
    """Say that ``__init__.py`` is imported first."""
    if trial.generation is Generation.PEDL and trial.concrete and trial.init_effect is not None:
        needs, notes = (ConfigNeed("init_first", True),), ((Kind.NOTE, _ENTRY),)
        yield Fix(trial.init_effect, config=needs, notes=notes)


EXAMPLE = """\
--- __init__.py
  import tensorflow as tf

  from data import make_data_loaders
  from model_def import Trial

  tf.keras.backend.set_floatx("float64")
--- const.yaml
  hyperparameters: {}
- searcher: {name: single, metric: val_loss, max_steps: 2}
+ searcher: {name: single, metric: val_loss, max_length: {batches: 200}}
+ entrypoint: __init__:Trial
! the entrypoint is in __init__.py
"""
