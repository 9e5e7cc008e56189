"""Names of Python and of the libraries around a trial that have moved, gone, or changed.

The versions are those of 2018 to 2021: Python 3.6, NumPy 1.16, pandas 0.24, scikit-learn 0.20,
SciPy 1.1, Pillow 6, h5py 2.9, PyYAML 3.13 and matplotlib 3.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from pedl2det_names.name import KERAS_2_11, TENSORFLOW_2, Name, gone, moved, pairs, served, table

#: Modules that are another one today.
_MODULES = "pandas.np>numpy sklearn.externals.joblib>joblib sklearn.externals.six>six"

#: What a piece of ``legacy_keras`` does today.
_PIECES = (
    *("distutils.version.LooseVersion", "distutils.version.StrictVersion"),
    *("distutils.util.strtobool", "imp.load_source", "inspect.getargspec"),
    *("scipy.misc.imread", "scipy.misc.imresize", "scipy.misc.imsave"),
    "sklearn.preprocessing.Imputer",
)
#: What a person would write today.
_GONE = {
    "sklearn.datasets.fetch_mldata": "the site is gone: sklearn.datasets.fetch_openml has the data",
    "sklearn.datasets.load_boston": "scikit-learn removed the data for what they say of people",
    "sklearn.cross_validation.KFold": "sklearn.model_selection.KFold(n_splits).split(data)",
}
#: Arguments that were positional, and are by keyword alone behind the first today.
_POSITIONAL = {
    "sklearn.model_selection.KFold": "n_splits shuffle random_state",
    "sklearn.model_selection.StratifiedKFold": "n_splits shuffle random_state",
    "sklearn.preprocessing.MinMaxScaler": "feature_range copy",
    "sklearn.preprocessing.Normalizer": "norm copy",
    "sklearn.preprocessing.scale": "X axis with_mean with_std copy",
    "sklearn.utils.class_weight.compute_class_weight": "class_weight classes y",
    "sklearn.utils.class_weight.compute_sample_weight": "class_weight y indices",
}


def _changed(old: str, since: str, **more: Mapping[str, str | None]) -> Name:
    """Return the row of a name that is still there and means another thing."""
    return Name(old, old, since, changed=True, **more)  # type: ignore[arg-type]


ROWS = table(
    *moved("moved_libraries.txt"),
    *(Name(old, new) for old, new in pairs(_MODULES).items()),
    *map(served, _PIECES),
    *(gone(old, write) for old, write in _GONE.items()),
    *(
        Name(old, old, changed=True, parameters=tuple(names.split()))
        for old, names in _POSITIONAL.items()
    ),
    Name("cgi.escape", "html.escape", defaults={"quote": "False"}),
    _changed("h5py.File", KERAS_2_11, defaults={"mode": '"a"'}),
    _changed("matplotlib.pyplot.hist", "", keywords={"normed": "density"}),
    _changed("numpy.histogram", "", keywords={"normed": "density"}),
    _changed("numpy.load", TENSORFLOW_2, defaults={"allow_pickle": "True"}),
    _changed("pandas.get_dummies", KERAS_2_11, defaults={"dtype": '"uint8"'}),
    _changed("sklearn.preprocessing.OneHotEncoder", "", keywords={"sparse": "sparse_output"}),
    _changed("yaml.load", "", defaults={"Loader": "yaml.FullLoader"}),
)

#: Rows of calls that mostly work as they are: of these, ``migrate`` writes the old argument only
#: where a trial does not train without.
UNLIKELY = ("h5py.File", "numpy.load")

#: Methods and properties of pandas that are gone, with those of today that take the same arguments;
#: ``append``, and ``value`` of h5py, are names of others too.
METHODS = {"as_matrix": "", "get_value": "", "iteritems": "items", "ix": "", "set_value": ""}
#: Functions that took an iterator or a set, and take a sequence alone today.
SEQUENCES = (
    *("numpy.column_stack", "numpy.dstack", "numpy.hstack", "numpy.stack", "numpy.vstack"),
    "random.sample",
)
#: The places of arguments that had other defaults.
PLACES = {"Loader": 1, "allow_pickle": 2, "dtype": 7, "mode": 1, "quote": 1}
#: Functions, classes and methods of pandas that take the alias of a frequency: the parameter, and
#: its place behind ``self``.
FREQUENCIES = {
    "Grouper": ("freq", 2),
    "asfreq": ("freq", 0),
    "date_range": ("freq", 3),
    "resample": ("rule", 0),
}

#: The packages that the rows are about.
HEADS = frozenset(old.partition(".")[0] for old in ROWS)
