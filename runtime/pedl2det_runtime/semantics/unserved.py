"""Placeholders for internal classes of Determined that ``determined.keras`` exports."""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.errors import InvalidExperimentException


def unserved(name: str) -> type:
    """Return a class for imports and annotations; its constructor always raises.

    Args:
        name: the name of the class.
    """

    def __init__(self: Any, *_: Any, **__: Any) -> None:  # noqa: ARG001, N807
        raise InvalidExperimentException(
            f"determined.keras.{name} is internal to Determined's controller and is not supported: "
            "start the trial with `pedl2det run DIR`"
        )

    return type(name, (), {"__init__": __init__, "__doc__": f"{name} is not supported."})
