"""The value-flow graph of a project: where a value comes from, and where it goes.

It follows assignments, rebinding, unpacking, branches, calls and returns, attributes of ``self``,
modules, star imports, and the members of tuples and dicts. It is demand-driven: nothing is computed
before a rule asks.

Calls are not told apart by their caller: a parameter may have the value of any call of its
function. What cannot be followed ends as an origin or a use of its own, never as silence.
"""

from __future__ import annotations

from pedl2det.analysis.flow.graph import Flow
from pedl2det.analysis.flow.values import (
    Call,
    Callable,
    Function,
    Origin,
    Place,
    Use,
    Way,
    argument_for,
    arguments_of,
    by_position,
    first_parameter,
    is_classmethod,
    is_static,
)

__all__ = [
    "Call",
    "Callable",
    "Flow",
    "Function",
    "Origin",
    "Place",
    "Use",
    "Way",
    "argument_for",
    "arguments_of",
    "by_position",
    "first_parameter",
    "is_classmethod",
    "is_static",
]
