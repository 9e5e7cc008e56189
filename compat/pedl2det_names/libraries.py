"""Names of Python and of the libraries around a trial that have moved, gone, or changed.

The versions are those of 2018 to 2021: Python 3.6, NumPy 1.16, pandas 0.24, scikit-learn 0.20,
SciPy 1.1, Pillow 6, h5py 2.9, PyYAML 3.13 and matplotlib 3.0.
"""

from __future__ import annotations

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
#: Parameters of functions and classes, which take them by keyword alone behind the first today.
POSITIONAL = {
    "sklearn.model_selection.KFold": "n_splits shuffle random_state",
    "sklearn.model_selection.StratifiedKFold": "n_splits shuffle random_state",
    "sklearn.preprocessing.MinMaxScaler": "feature_range copy",
    "sklearn.preprocessing.Normalizer": "norm copy",
    "sklearn.preprocessing.scale": "X axis with_mean with_std copy",
    "sklearn.utils.class_weight.compute_class_weight": "class_weight classes y",
    "sklearn.utils.class_weight.compute_sample_weight": "class_weight y indices",
}
#: Keyword arguments with another name today.
RENAMED = {
    "matplotlib.pyplot.hist": ("normed", "density"),
    "numpy.histogram": ("normed", "density"),
    "sklearn.preprocessing.OneHotEncoder": ("sparse", "sparse_output"),
}
#: Arguments that had another default: their names, places and values. One with a dot is a name.
DEFAULTS: dict[str, tuple[str, int, str | bool]] = {
    "h5py.File": ("mode", 1, "a"),
    "numpy.load": ("allow_pickle", 2, True),
    "pandas.get_dummies": ("dtype", 7, "uint8"),
    "yaml.load": ("Loader", 1, "yaml.FullLoader"),
}
_SINCE = {"h5py.File": KERAS_2_11, "numpy.load": TENSORFLOW_2, "pandas.get_dummies": KERAS_2_11}


def _with_default(old: str, name: str, value: str | bool) -> Name:
    text = str(value) if "." in str(value) or value is True else f'"{value}"'
    return Name(old, old, _SINCE.get(old, ""), changed=True, defaults={name: text})


ROWS = table(
    *moved("moved_libraries.txt"),
    *(Name(old, new) for old, new in pairs(_MODULES).items()),
    *map(served, _PIECES),
    *(gone(old, write) for old, write in _GONE.items()),
    *(
        Name(old, old, changed=True, parameters=tuple(names.split()))
        for old, names in POSITIONAL.items()
    ),
    *(Name(old, old, changed=True, keywords=dict([names])) for old, names in RENAMED.items()),
    *(_with_default(old, name, value) for old, (name, _, value) in DEFAULTS.items()),
    Name("cgi.escape", "html.escape", defaults={"quote": "False"}),
)

#: Rows of calls that mostly work as they are: of these, ``migrate`` writes the old argument only
#: where a trial does not train without, or has such words.
UNLIKELY = {
    "h5py.File": r"\b(?:create|require)_(?:dataset|group)\b|\]\s*=[^=]",
    "numpy.load": r"\bnp\.save\(",
}

#: Functions that took an iterator or a set, and take a sequence alone today.
SEQUENCES = (
    *("numpy.column_stack", "numpy.dstack", "numpy.hstack", "numpy.stack", "numpy.vstack"),
    "random.sample",
)
#: The places of arguments that had other defaults.
PLACES = {"quote": 1, **{name: place for name, place, _ in DEFAULTS.values()}}
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
#: The libraries that can be given back what they had.
RESTORED = ("h5py", "numpy", "pandas", "random", "sklearn", "yaml")
