"""``determined.errors``: errors under their documented names."""

from pedl2det_runtime.errors import (
    CheckFailedError,
    InvalidConfigurationException,
    InvalidDataTypeException,
    InvalidExperimentException,
    InvalidModelException,
)

__all__ = [
    "CheckFailedError",
    "InvalidConfigurationException",
    "InvalidDataTypeException",
    "InvalidExperimentException",
    "InvalidModelException",
]
