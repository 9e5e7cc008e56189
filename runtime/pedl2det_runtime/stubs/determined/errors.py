"""``determined.errors``: the runtime's errors under their documented names."""

from pedl2det_runtime.errors import (
    InvalidConfigurationException,
    InvalidDataTypeException,
    InvalidExperimentException,
    InvalidModelException,
)

__all__ = [
    "InvalidConfigurationException",
    "InvalidDataTypeException",
    "InvalidExperimentException",
    "InvalidModelException",
]
