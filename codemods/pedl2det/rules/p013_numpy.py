"""``np.array`` of rows that may have several lengths becomes a function, in the second form.

Old NumPy gave an array of several lengths ``dtype=object`` by itself. Whether rows have one length
only the running code knows, so ``legacy_keras.ragged_array`` decides there. ``migrate`` writes it
where the first form of a trial does not train the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite

NAME = "numpy"


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite the calls with one argument, unless that is written out."""
    for reference in trial.uses("numpy.array", "numpy.asarray") if trial.mended else ():
        match reference.call:
            case ast.Call(func=func, args=[rows], keywords=[]):
                if isinstance(rows, ast.List | ast.Tuple):
                    continue
                piece = "ragged_" + reference.dotted.rpartition(".")[2]
                yield rewrite(func, f"legacy_keras.{piece}")


EXAMPLE = """\
--- net.py
  import numpy as np


  def words(lines):
      return np.array([line.split() for line in lines])
"""
