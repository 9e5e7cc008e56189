"""Methods that frames of pandas had before 2.0, and frequencies."""

import re

import numpy as np

#: Aliases of frequencies before pandas 2.2, and those of today.
_FREQUENCIES = """
    H>h BH>bh CBH>cbh T>min S>s L>ms U>us N>ns
    M>ME BM>BME SM>SME Q>QE BQ>BQE A>YE Y>YE
"""


def frequency(freq):
    """Return a frequency as the installed pandas spells it: `3H` is `3h` since 2.2."""
    from pandas.tseries.frequencies import to_offset

    found = (
        re.fullmatch(r"(-?[\d.]*)([A-Z]+)(-[A-Z]+)?", freq)
        if isinstance(freq, str)
        else None
    )
    today = dict(pair.split(">") for pair in _FREQUENCIES.split())
    if found is None or found[2] not in today:
        return freq
    new = f"{found[1]}{today[found[2]]}{found[3] or ''}"
    try:
        to_offset(new)
    except ValueError:  # this pandas has the old one
        return freq
    return new


def old_methods(pandas):
    """Yield each class, the name of a method that it lacks, and the method."""
    for kind in (pandas.DataFrame, pandas.Series):
        for name, made in {**_METHODS, "append": _APPEND[kind.__name__]}.items():
            if not hasattr(kind, name):
                yield kind, name, made


def _append(frame, other, ignore_index=False, verify_integrity=False, sort=False):
    import pandas

    if isinstance(other, (dict, pandas.Series)):
        row = pandas.Series(other)
        if row.name is None and not ignore_index:
            raise TypeError(
                "a row without a name can only be appended with ignore_index=True"
            )
        other = row.to_frame().T.infer_objects().rename_axis(frame.index.names)
    elif isinstance(other, list) and not (
        other and isinstance(other[0], pandas.DataFrame)
    ):
        other = pandas.DataFrame(other)
    frames = [frame, *other] if isinstance(other, list) else [frame, other]
    return pandas.concat(
        frames, ignore_index=ignore_index, verify_integrity=verify_integrity, sort=sort
    )


def _append_series(series, to_append, ignore_index=False, verify_integrity=False):
    import pandas

    others = to_append if isinstance(to_append, (list, tuple)) else [to_append]
    return pandas.concat(
        [series, *others], ignore_index=ignore_index, verify_integrity=verify_integrity
    )


def _as_matrix(frame, columns=None):
    return (frame if columns is None else frame[columns]).values


def _get_value(frame, *key):
    return frame.at[key if len(key) > 1 else key[0]]


def _set_value(frame, *key_and_value):
    *key, value = key_and_value
    frame.at[tuple(key) if len(key) > 1 else key[0]] = value
    return frame


class _ByLabelOrPlace:
    """Rows and columns by label, or by place where an axis has no integers for labels."""

    def __init__(self, frame):
        self._frame = frame

    def __getitem__(self, key):
        return self._frame.iloc[self._places(key)]

    def __setitem__(self, key, value):
        try:
            places = self._places(key)
        except KeyError:  # a new row or column
            self._frame.loc[key] = value
        else:
            self._frame.iloc[places] = value

    def _places(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        found = tuple(_places_of(*one) for one in zip(keys, self._frame.axes))
        return found if isinstance(key, tuple) else found[0]


def _places_of(key, axis):
    parts = (
        (key.start, key.stop)
        if isinstance(key, slice)
        else np.atleast_1d(np.asarray(key))
    )
    if not isinstance(key, slice) and parts.dtype == bool:
        return np.asarray(key)
    known = [one for one in parts if one is not None]
    is_place = all(isinstance(one, (int, np.integer)) for one in known)
    if is_place and axis.dtype.kind not in "iu":
        return key
    if isinstance(key, slice):
        return axis.slice_indexer(key.start, key.stop, key.step)
    if not np.ndim(key):
        return axis.get_loc(key)
    places = axis.get_indexer_for(parts)
    if (places < 0).any():
        raise KeyError(key)
    return places


_APPEND = {"DataFrame": _append, "Series": _append_series}
_METHODS = {
    "as_matrix": _as_matrix,
    "get_value": _get_value,
    "iteritems": lambda frame: frame.items(),
    "ix": property(_ByLabelOrPlace),
    "set_value": _set_value,
}
