"""What Determined exported by mistake: parts of its own controller, which nobody can use here."""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.errors import InvalidExperimentException


def unserved(name: str) -> type:
    """A class of this name, to be imported, annotated with, and never made.

    Args:
        name: the name.
    """

    def __init__(self: Any, *_: Any, **__: Any) -> None:  # noqa: ARG001, N807
        raise InvalidExperimentException(
            f"determined.keras.{name} was a part of Determined's controller and is not served: "
            "start the trial with `pedl2det run DIR`"
        )

    return type(name, (), {"__init__": __init__, "__doc__": f"{name} is not served."})
