"""Names that NumPy has removed."""

from __future__ import annotations

from pedl2det_names.name import Name, table

_1_24 = "NumPy 1.24"
_2 = "NumPy 2.0"


def _gone(old: str, new: str, since: str = _2, write: str = "") -> Name:
    return Name(f"numpy.{old}", new, since, write=write)


#: Names that exist again in NumPy 2, as a NumPy scalar type and a C integer.
_AGAIN = ("bool", "long")

ROWS = table(
    *(
        Name(
            f"numpy.{old}",
            f"builtins.{new}",
            _1_24,
            changed=old in _AGAIN,
            write="in NumPy 2 the name is a NumPy scalar type" if old in _AGAIN else "",
        )
        for old, new in {
            "bool": "bool",
            "complex": "complex",
            "float": "float",
            "int": "int",
            "long": "int",
            "object": "object",
            "str": "str",
            "unicode": "str",
        }.items()
    ),
    *(
        _gone(old, f"numpy.{new}")
        for old, new in {
            "bool8": "bool_",
            "bytes0": "bytes_",
            "int0": "intp",
            "object0": "object_",
            "str0": "str_",
            "uint0": "uintp",
            "void0": "void",
            "typeDict": "sctypeDict",
        }.items()
    ),
    *(
        _gone(old, f"numpy.{new}")
        for old, new in {
            "Inf": "inf",
            "Infinity": "inf",
            "NAN": "nan",
            "NaN": "nan",
            "PINF": "inf",
            "alltrue": "all",
            "cfloat": "complex128",
            "clongfloat": "clongdouble",
            "complex_": "complex128",
            "cumproduct": "cumprod",
            "float_": "float64",
            "infty": "inf",
            "longcomplex": "clongdouble",
            "longfloat": "longdouble",
            "mat": "asmatrix",
            "product": "prod",
            "round_": "round",
            "singlecomplex": "complex64",
            "sometrue": "any",
            "string_": "bytes_",
            "unicode_": "str_",
        }.items()
    ),
    Name("numpy.NINF", None, _2, False, "write -np.inf"),
    *(
        Name(f"numpy.{old}", None, since, False, write, support=old)
        for old, since, write in (
            ("asfarray", _2, "write np.asarray(a, dtype=float)"),
            ("asscalar", "NumPy 1.23", "write array.item()"),
            ("msort", _2, "write np.sort(a, axis=0)"),
        )
    ),
    Name("numpy.find_common_type", None, _2, False, "use np.result_type or np.promote_types"),
    Name("numpy.rank", "numpy.ndim", "NumPy 1.18"),
    *(
        Name(
            f"numpy.{name}",
            f"numpy.{name}",
            _1_24,
            False,
            "ragged lists created an object array; pass dtype=object for that",
            {},
            f"ragged_{name}",
            changed=True,
        )
        for name in ("array", "asarray")
    ),
)
