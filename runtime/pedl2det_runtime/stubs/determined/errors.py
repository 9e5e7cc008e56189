"""``determined.errors``: errors under their documented names."""

from pedl2det_runtime import refusals
from pedl2det_runtime.errors import (
    CheckFailedError,
    CheckpointNotFound,
    InvalidCheckpointException,
    InvalidConfigurationException,
    InvalidDataTypeException,
    InvalidExperimentException,
    InvalidModelException,
)

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
