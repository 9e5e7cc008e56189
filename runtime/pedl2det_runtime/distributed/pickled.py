"""Pickle objects between processes that trust each other."""

from __future__ import annotations

import pickle
from typing import Any

from pedl2det_runtime.distributed.collective import Collective
from pedl2det_runtime.errors import DistributedError


def to_bytes(collective: Collective, member: int, stuff: Any) -> bytes:
    """Pickle the object of a member; empty if this member does not send one.

    Raises:
        DistributedError: the object cannot be pickled.
    """
    if not collective.gives(member):
        return b""
    try:
        return pickle.dumps(stuff, protocol=5)
    except Exception as error:
        # Pickling calls code of the object, which may raise anything.
        raise DistributedError(
            f"{collective}: process {member} gives an object that cannot be pickled "
            f"({type(stuff).__name__}): {error}"
        ) from error


def from_bytes(data: bytes | bytearray | memoryview) -> Any:
    """Unpickle an object. The bytes must come from an authenticated process of this run."""
    return pickle.loads(data)  # noqa: S301
