"""Names that NumPy has removed."""

from __future__ import annotations

from pedl2det_names.name import Name, gone, pairs, table

_OWN = """
    Inf>inf Infinity>inf NAN>nan NaN>nan PINF>inf infty>inf
    alltrue>all cumproduct>cumprod mat>asmatrix product>prod rank>ndim round_>round sometrue>any
    bool8>bool_ bytes0>bytes_ int0>intp object0>object_ str0>str_ uint0>uintp void0>void
    cfloat>complex128 clongfloat>clongdouble complex_>complex128 float_>float64
    longcomplex>clongdouble longfloat>longdouble singlecomplex>complex64
    string_>bytes_ unicode_>str_ typeDict>sctypeDict
"""
_BUILTINS = "complex float int object str unicode>str"
_RAGGED = "ragged lists created an object array; pass dtype=object for that"

ROWS = table(
    *(Name(f"numpy.{old}", f"numpy.{new}") for old, new in pairs(_OWN).items()),
    *(Name(f"numpy.{old}", f"builtins.{new}") for old, new in pairs(_BUILTINS).items()),
    *(
        Name(
            f"numpy.{old}",
            f"builtins.{new}",
            write="in NumPy 2 the name is a NumPy scalar type",
            changed=True,
        )
        for old, new in pairs("bool long>int").items()
    ),
    gone("numpy.NINF", "write -np.inf"),
    gone("numpy.asfarray", "write np.asarray(a, dtype=float)", "asfarray"),
    gone("numpy.asscalar", "write array.item()", "asscalar"),
    gone("numpy.find_common_type", "use np.result_type or np.promote_types"),
    gone("numpy.msort", "write np.sort(a, axis=0)", "msort"),
    *(
        Name(old, old, same=False, write=_RAGGED, support=support, changed=True)
        for old, support in (("numpy.array", "ragged_array"), ("numpy.asarray", "ragged_asarray"))
    ),
)
