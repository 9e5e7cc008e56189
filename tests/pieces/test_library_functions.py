"""What libraries computed in 2019, written down by hand from their documents."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_series_equal

from pedl2det import support
from pedl2det_legacy import library_functions as functions
from pedl2det_legacy import old_libraries, pandas_methods

FRAME = pd.DataFrame({"a": [1, 2], "b": [3.0, 4.0]}, index=["x", "y"])


@pytest.fixture
def old_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pandas with what it had in 2019."""
    for owner, name, made in [*old_libraries.old_pandas(pd)]:
        monkeypatch.setattr(owner, name, made, raising=False)


def test_the_arguments_of_a_function_are_four() -> None:
    spec = functions.getargspec(lambda a, b=2, *c, **d: None)

    assert spec == (["a", "b"], "c", "d", (2,))
    assert spec.keywords == "d"
    with pytest.raises(ValueError, match="keyword-only"):
        functions.getargspec(lambda *, a: a)
    assert inspect.getfullargspec(functions.getargspec).args == ["function"]


def test_a_file_becomes_a_module(tmp_path: Path) -> None:
    (tmp_path / "settings.txt").write_text("RATE = 3\n")

    assert functions.load_source("old_settings", str(tmp_path / "settings.txt")).RATE == 3


def test_texts_mean_yes_and_no() -> None:
    assert [functions.strtobool(one) for one in ("Yes", "on", "off", "0")] == [1, 1, 0, 0]
    with pytest.raises(ValueError, match="maybe"):
        functions.strtobool("maybe")


def test_versions_are_compared_with_texts_too() -> None:
    version = functions.LooseVersion("1.14.0rc1")

    assert version.version == [1, 14, 0, "rc", 1]
    assert (
        version > "1.9" and version < functions.StrictVersion("2") and str(version) == "1.14.0rc1"
    )
    assert version == "1.14.0rc1" and version != "1.14"


def test_images_are_read_and_resized_in_bytes(tmp_path: Path) -> None:
    pixels = np.arange(16, dtype=np.uint8).reshape(4, 4)
    functions.imsave(tmp_path / "a.png", pixels)

    assert functions.imread(tmp_path / "a.png").tolist() == pixels.tolist()
    assert functions.imread(tmp_path / "a.png", mode="RGB").shape == (4, 4, 3)
    assert functions.imread(tmp_path / "a.png", flatten=True).dtype == np.float32
    assert functions.imresize(pixels, 0.5, interp="nearest").tolist() == [[5, 7], [13, 15]]
    assert functions.imresize(pixels, 50).shape == functions.imresize(pixels, (2, 2)).shape
    # What is not in bytes was scaled to them: 0 and 1 are 0 and 255.
    assert functions.imresize(np.array([[0.0, 1.0]]), 1.0, "nearest").tolist() == [[0, 255]]


def test_missing_values_are_imputed_by_column_and_by_row() -> None:
    values = [[1.0, np.nan], [3.0, 5.0]]

    assert functions.Imputer().fit_transform(values).tolist() == [[1, 5], [3, 5]]
    assert functions.Imputer(axis=1).fit_transform(values).tolist() == [[1, 1], [3, 5]]


@pytest.mark.usefixtures("old_pandas")
def test_frames_are_appended() -> None:
    both = FRAME.append(FRAME)
    row = FRAME.append({"a": 5, "b": 6.0}, ignore_index=True)
    named = FRAME.append(pd.Series({"a": 5, "b": 6.0}, name="z"))

    assert_frame_equal(both, pd.concat([FRAME, FRAME]))
    assert (row.index.tolist(), row["a"].tolist()) == ([0, 1, 2], [1, 2, 5])
    assert named.index.tolist() == ["x", "y", "z"]
    assert FRAME["a"].append(FRAME["a"]).tolist() == [1, 2, 1, 2]
    with pytest.raises(TypeError, match="ignore_index"):
        FRAME.append({"a": 5})


@pytest.mark.usefixtures("old_pandas")
def test_rows_and_columns_are_found_by_label_and_by_place() -> None:
    frame = FRAME.copy()

    assert [frame.ix["y", "b"], frame.ix[1, "b"], frame.ix["y", 1], frame.ix[1, 1]] == [4.0] * 4
    assert_series_equal(frame.ix[:1, "a"], frame["a"].iloc[:1])
    assert frame.ix["x":"y", ["b", "a"]].columns.tolist() == ["b", "a"]
    assert frame.ix[frame["a"] > 1].index.tolist() == ["y"]
    # Labels that are integers are labels, and the last one of a slice is in it.
    numbered = pd.Series([1, 2, 3], index=[10, 20, 30])
    assert numbered.ix[20] == 2
    assert numbered.ix[10:20].tolist() == [1, 2]
    frame.ix[0, "a"] = 7
    frame.ix["z"] = [8, 9.0]
    assert frame["a"].tolist() == [7, 2, 8]


@pytest.mark.usefixtures("old_pandas")
def test_frames_have_their_old_methods() -> None:
    assert FRAME.as_matrix().tolist() == [[1, 3], [2, 4]]
    assert FRAME.as_matrix(["b"]).tolist() == [[3], [4]]
    assert [name for name, _ in FRAME.iteritems()] == ["a", "b"]
    assert FRAME.get_value("x", "b") == 3
    assert FRAME.copy().set_value("x", "b", 9).loc["x", "b"] == 9


def test_what_a_library_has_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pd.DataFrame, "append", "its own", raising=False)

    names = [name for owner, name, _ in old_libraries.old_pandas(pd) if owner is pd.DataFrame]

    assert "append" not in names and "ix" in names


#: What runs in a process of its own, since it changes libraries.
_RESTORED = """\
import legacy_keras, random
import numpy as np
from numpy import histogram, vstack
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, scale
import h5py, yaml, sys
import pandas as pd
def restore():
    legacy_keras.restore_h5py()
    legacy_keras.restore_numpy()
    legacy_keras.restore_random()
    legacy_keras.restore_sklearn()
    legacy_keras.restore_pandas()
    legacy_keras.restore_yaml()
restore()
restore()
assert np.array([[1], [2, 3]]).dtype == object and np.float is float and np.bool8 is np.bool_
assert vstack(map(np.ones, [2, 2])).shape == (2, 2)
assert histogram([1, 1, 2], bins=2, normed=True)[0].tolist() == [4 / 3, 2 / 3]
rows = [[1.0, 2.0], [3.0, 6.0]]
assert scale(rows, 0, True, False).tolist() == [[-1, -2], [1, 2]]
assert MinMaxScaler((0, 2)).fit_transform(rows).tolist() == [[0, 0], [2, 2]]
assert MinMaxScaler((0, 2), False).copy is False
assert OneHotEncoder(sparse=False).fit_transform([[1], [2]]).tolist() == [[1, 0], [0, 1]]
random.seed(3)
assert random.sample(set(range(20)), 4) == [7, 18, 17, 4]
order = list(range(9))
random.shuffle(order, lambda: 0.42)
assert order == [4, 0, 7, 1, 5, 6, 2, 8, 3]
with h5py.File(sys.argv[1]) as file:
    file["x"] = [1, 2]
    assert file["x"].value.tolist() == [1, 2]
frame = pd.DataFrame({"a": [1, 2]}, index=pd.date_range("2019", periods=2, freq="H"))
assert frame.append(frame).resample("D").sum()["a"].tolist() == [6]
assert frame.groupby(pd.Grouper(freq="M")).sum()["a"].tolist() == [3]
assert str(pd.get_dummies(["x", "y"]).dtypes["x"]) == "uint8"
assert yaml.load("a: 1") == {"a": 1}
"""


def test_libraries_have_what_they_had(tmp_path: Path) -> None:
    names = [name for name in support.available() if name.startswith("restore_")]
    (tmp_path / "legacy_keras.py").write_text(support.render(names))
    (tmp_path / "main.py").write_text(_RESTORED)

    done = subprocess.run(
        [sys.executable, "main.py", "new.h5"], cwd=tmp_path, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(
    ("freq", "seconds"), [("3H", 10800), ("T", 60), ("15min", 900), ("D", 86400)]
)
def test_frequencies_are_those_of_the_installed_pandas(freq: str, seconds: int) -> None:
    first, second = pd.date_range("2019", periods=2, freq=pandas_methods.frequency(freq))

    assert (second - first).total_seconds() == seconds


def test_the_end_of_a_month_is_a_frequency() -> None:
    days = pd.date_range("2019-01-01", periods=2, freq=pandas_methods.frequency("M"))

    assert [(one.month, one.day) for one in days] == [(1, 31), (2, 28)]
