"""Cases of P037."""

from __future__ import annotations

from rule_cases.cases import Case, pedl_trial

_OF_ALL = """\
import h5py
import pandas as pd


def frames(path, frame, rows):
    with h5py.File(path) as file:
        values = file["x"].value
    frame.ix[0, "a"] = 1
    rows.append(frame.as_matrix())
    every = frame.append(frame, ignore_index=True).resample("2T").mean().asfreq("M")
    return values, every, pd.date_range("2019", periods=3, freq="H")
"""
_OF_ALL_AFTER = """\
import h5py
import pandas as pd

import legacy_keras

legacy_keras.restore_methods()


def frames(path, frame, rows):
    with h5py.File(path) as file:
        values = file["x"].value
    frame.ix[0, "a"] = 1
    rows.append(frame.as_matrix())
    every = (
        frame.append(frame, ignore_index=True)
        .resample("2min")
        .mean()
        .asfreq(legacy_keras.frequency("M"))
    )
    return values, every, pd.date_range("2019", periods=3, freq="h")
"""
_SEQUENCES = """\
import random

import numpy as np


def rows(texts, known, table):
    order = list(range(len(texts)))
    random.shuffle(order, lambda: 0.4)
    random.shuffle(order)
    names = set(known)
    few = random.sample(names, 4) + random.sample(order, 2)
    left, right = zip(*table)
    few += np.stack(left), np.stack(right)
    return np.vstack(map(len, texts)), np.stack(one for one in few), np.hstack([order])
"""
_SEQUENCES_AFTER = """\
import random

import numpy as np

import legacy_keras


def rows(texts, known, table):
    order = list(range(len(texts)))
    legacy_keras.shuffle(order, lambda: 0.4)
    random.shuffle(order)
    names = set(known)
    few = random.sample([*names], 4) + random.sample(order, 2)
    left, right = zip(*table)
    few += np.stack(left), np.stack(right)
    return (
        np.vstack([*map(len, texts)]),
        np.stack([*(one for one in few)]),
        np.hstack([order]),
    )
"""
_OWN = """\
import pandas as pd


class Rows:
    def iteritems(self):
        return []

    def resample(self, how):
        return self


def first(rows, kinds):
    rows.append(pd.DataFrame())
    return Rows().resample("S"), kinds.value, pd.date_range("2019", freq="D")
"""
_BOTH = """\
class Rows:
    def iteritems(self):
        return []


def first(frame):
    return Rows().iteritems(), frame.iteritems()
"""
_BOTH_AFTER = """\
import legacy_keras

legacy_keras.restore_methods()


class Rows:
    def iteritems(self):
        return []


def first(frame):
    return Rows().iteritems(), frame.iteritems()
"""

CASES = (
    Case(pedl_trial(_SEQUENCES), {"net.py": _SEQUENCES_AFTER}),
    Case(pedl_trial(_OF_ALL), {"net.py": _OF_ALL_AFTER}),
    Case(pedl_trial(_OWN), {"net.py": _OWN}),
    Case(pedl_trial(_BOTH), {"net.py": _BOTH_AFTER}),
)
