"""Functions that Python, scikit-learn and SciPy have removed.

The libraries are imported where they are used: a trial needs only those that it imports itself.
"""

import collections
import functools
import importlib.machinery
import importlib.util
import inspect
import re
import sys

import numpy as np

_ArgSpec = collections.namedtuple("_ArgSpec", "args varargs keywords defaults")


def getargspec(function):
    """Return the arguments of a function as inspect.getargspec of Python 3.10 did."""
    found = inspect.getfullargspec(function)
    if found.kwonlyargs or found.annotations:
        raise ValueError("the function has keyword-only parameters or annotations")
    return _ArgSpec(*found[:4])


def load_source(name, path):
    """Import a file as a module of some name, as imp.load_source did."""
    loader = importlib.machinery.SourceFileLoader(name, path)
    spec = importlib.util.spec_from_loader(name, loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


@functools.total_ordering
class LooseVersion:
    """A version of numbers and words, as distutils compared it: also with a text."""

    def __init__(self, vstring=""):
        self.vstring = vstring
        parts = filter(None, re.split(r"(\d+|[a-z]+|\.)", vstring))
        self.version = [
            int(one) if one.isdigit() else one for one in parts if one != "."
        ]

    def __str__(self):
        return self.vstring

    def __eq__(self, other):
        return self.version == LooseVersion(str(other)).version

    def __lt__(self, other):
        return self.version < LooseVersion(str(other)).version

    def __hash__(self):
        return hash(self.vstring)


#: A version of numbers alone compared in the same way.
StrictVersion = LooseVersion


def strtobool(text):
    """Return 1 for a text that means yes and 0 for one that means no."""
    if text.lower() in ("y", "yes", "t", "true", "on", "1"):
        return 1
    if text.lower() in ("n", "no", "f", "false", "off", "0"):
        return 0
    raise ValueError(f"invalid truth value {text.lower()!r}")


def imread(name, flatten=False, mode=None):
    """Read an image as scipy.misc.imread of SciPy 1.1 did."""
    from PIL import Image

    image = Image.open(name)
    if mode is not None and mode != image.mode:
        image = image.convert(mode)
    elif mode is None and image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    elif image.mode == "1":
        image = image.convert("L")
    return np.array(image.convert("F") if flatten else image)


def imresize(arr, size, interp="bilinear", mode=None):
    """Resize an image as scipy.misc.imresize of SciPy 1.1 did: to bytes."""
    from PIL import Image

    image = _bytes_as_image(np.asarray(arr), mode)
    if isinstance(size, (int, np.integer)):
        new = tuple((np.array(image.size) * size / 100.0).astype(int))
    elif isinstance(size, (float, np.floating)):
        new = tuple((np.array(image.size) * size).astype(int))
    else:
        new = (size[1], size[0])
    methods = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "cubic": 3}
    return np.array(image.resize(new, resample=Image.Resampling(methods[interp])))


def imsave(name, arr, format=None):
    """Write an array as an image, as scipy.misc.imsave of SciPy 1.1 did."""
    _bytes_as_image(np.asarray(arr), None).save(name, format=format)


def _bytes_as_image(data, mode):
    """Return an array as scipy.misc.toimage did: what is not in bytes is scaled to them."""
    from PIL import Image

    if mode == "F":
        return Image.fromarray(data.astype(np.float32))
    if data.dtype != np.uint8:
        low, high = data.min(), data.max()
        scale = 255.0 / ((high - low) or 1)
        data = ((data - low) * scale).clip(0, 255) + 0.5
    if data.ndim == 3 and data.shape[0] in (3, 4) and data.shape[2] not in (3, 4):
        data = np.moveaxis(data, 0, 2)
    return Image.fromarray(data.astype(np.uint8), mode)


def Imputer(missing_values="NaN", strategy="mean", axis=0, verbose=0, copy=True):
    """Return what replaces missing values, as sklearn.preprocessing.Imputer did."""
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import FunctionTransformer

    missing = np.nan if missing_values == "NaN" else missing_values
    imputer = SimpleImputer(missing_values=missing, strategy=strategy, copy=copy)
    if axis == 0:
        return imputer
    return FunctionTransformer(lambda X: imputer.fit_transform(np.asarray(X).T).T)
