"""Errors of ``determined.errors`` that trials catch or raise, beside those of this package."""

from __future__ import annotations

from pedl2det_runtime.errors import CheckpointError


class CheckpointNotFound(CheckpointError):  # noqa: N818 - the documented name
    """A checkpoint is not in the storage."""


class InvalidCheckpointException(CheckpointError):  # noqa: N818
    """A checkpoint is of another version."""

    def __init__(self, message: str = "this checkpoint cannot be loaded") -> None:
        super().__init__(message)
