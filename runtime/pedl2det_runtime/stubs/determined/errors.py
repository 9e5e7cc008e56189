"""``determined.errors``: errors under their documented names."""

from pedl2det_runtime import refusals
from pedl2det_runtime.errors import (
    CheckFailedError,
    InvalidConfigurationException,
    InvalidDataTypeException,
    InvalidExperimentException,
    InvalidModelException,
)
from pedl2det_runtime.errors.determined import CheckpointNotFound, InvalidCheckpointException

__all__ = [
    "CheckFailedError",
    "CheckpointNotFound",
    "InvalidCheckpointException",
    "InvalidConfigurationException",
    "InvalidDataTypeException",
    "InvalidExperimentException",
    "InvalidModelException",
]

refusals.complete(__name__)
