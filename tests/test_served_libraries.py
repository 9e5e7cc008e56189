"""What ``run`` serves an old trial of Python and of the libraries around it, row by row."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import warnings

import pytest

from pedl2det_names.libraries import ROWS

#: What runs in a process of its own, since it changes libraries: old code, and what it gave.
OLD_CODE = """\
import collections, fractions, inspect, time
assert issubclass(dict, collections.Mapping)
from collections import Iterable
assert isinstance([], Iterable)
assert fractions.gcd(12, 18) == 6
assert time.clock() <= time.clock()
assert inspect.getargspec(lambda a, b=1: a).defaults == (1,)
import numpy as np, os, tempfile
path = os.path.join(tempfile.mkdtemp(), "a.npy")
np.save(path, np.array([{"a": 1}]))
assert np.load(path)[0] == {"a": 1}
assert np.vstack(map(np.ones, [2, 2])).shape == np.stack({1: [1, 2], 2: [3, 4]}.values()).shape
import random
order = list(range(9))
random.shuffle(order, lambda: 0.42)
assert order == [4, 0, 7, 1, 5, 6, 2, 8, 3]
random.seed(3)
assert random.sample(set(range(20)), 4) == [7, 18, 17, 4]
import pandas as pd
assert pd.np is np and pd.datetime(2019, 1, 2).day == 2
assert str(pd.get_dummies(["x", "y"]).dtypes["x"]) == "uint8"
assert str(pd.get_dummies(["x", "y"], dtype=float).dtypes["x"]) == "float64"
frame = pd.DataFrame({"a": [1, 2]}, index=pd.date_range("2019", periods=2, freq="H"))
assert frame.ix[1, "a"] == 2 and frame.as_matrix().tolist() == [[1], [2]]
assert frame.append(frame).resample("D").sum()["a"].tolist() == [6]
assert frame.groupby(pd.Grouper(freq="M")).sum()["a"].tolist() == [3]
assert [name for name, _ in frame.iteritems()] == ["a"]
import yaml
from yaml import load
assert load("a: 1") == yaml.load("a: 1") == {"a": 1}
assert yaml.load("a: 1", yaml.SafeLoader) == yaml.load("a: 1", Loader=yaml.SafeLoader)
from sklearn.externals import joblib
import sklearn.externals.joblib as other
from sklearn.externals.joblib import Parallel
import joblib as ours
assert joblib is ours and other.dump is ours.dump and Parallel is ours.Parallel
from sklearn.cross_validation import train_test_split
from sklearn.preprocessing import Imputer, OneHotEncoder
from sklearn.preprocessing.data import StandardScaler
from sklearn.utils import class_weight
from sklearn.base import clone
encoder = clone(OneHotEncoder(sparse=False))
assert encoder.fit_transform([[1], [2]]).tolist() == [[1, 0], [0, 1]]
assert Imputer().fit_transform([[1.0], [float("nan")]]).tolist() == [[1], [1]]
y = np.array([0, 1, 1])
assert class_weight.compute_class_weight("balanced", np.unique(y), y).tolist() == [1.5, 0.75]
from scipy.misc import imresize, logsumexp
from scipy.ndimage.interpolation import map_coordinates
from scipy.signal import hann
assert imresize(np.zeros((4, 4), "uint8"), (2, 3)).shape == (2, 3)
from distutils.util import strtobool
from distutils.version import LooseVersion
assert strtobool("yes") and LooseVersion("1.14") > LooseVersion("1.9")
import imp
assert imp.reload and imp.load_source
import h5py
path = os.path.join(os.path.dirname(path), "a.h5")
with h5py.File(path) as file:
    file["x"] = [1, 2]
    assert file["x"].value.tolist() == [1, 2]
from PIL import Image
assert Image.ANTIALIAS == Image.LANCZOS
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
heights, _, _ = plt.hist([1, 1, 2], bins=2, normed=True)
assert round(sum(heights) * 0.5, 6) == 1
from sklearn import datasets
try:
    datasets.fetch_mldata("MNIST original")
except Exception as error:
    assert "fetch_openml" in str(error), error
else:
    raise AssertionError
"""


def old_code(code: str, *lines: str) -> None:
    """Run code in a process, as a trial of PEDL does: it has to end well."""
    start = "import warnings; warnings.simplefilter('ignore'); from pedl import idioms\n"
    script = "\n".join([start + "idioms.activate()", code, *lines])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_old_code_computes_what_it_did() -> None:
    old_code(OLD_CODE)


def test_a_chained_assignment_changes_the_frame_or_is_an_error() -> None:
    """Since pandas 3 it changes a copy; a warning would be a difference without a word."""
    old_code(
        "import pandas as pd\nframe = pd.DataFrame({'a': [1, 2]})",
        "try: frame['a'][0] = 7",
        "except Exception as error: assert 'ChainedAssignment' in type(error).__name__",
        "else: assert frame['a'].tolist() == [7, 2]",
    )


def test_nothing_is_left_of_it() -> None:
    """Without the shim the libraries are as they were."""
    old_code(
        "idioms.deactivate()\nimport collections, yaml",
        "assert not hasattr(collections, 'Mapping')",
        "from yaml import load",
        "try: load('a: 1')",
        "except TypeError: pass",
        "else: raise AssertionError",
    )


def test_no_library_is_imported_in_vain() -> None:
    old_code("import sys; assert not {'matplotlib', 'sklearn.impute'} & sys.modules.keys()")


@pytest.mark.parametrize("old", sorted(ROWS))
def test_the_name_of_today_is_installed(old: str) -> None:
    row = ROWS[old]
    if row.new is None or importlib.util.find_spec(row.new.partition(".")[0]) is None:
        pytest.skip("it has no successor, or its library is not installed")
    module, _, name = row.new.rpartition(".")
    if not module:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert hasattr(importlib.import_module(module), name), f"{row.new} is not there"
