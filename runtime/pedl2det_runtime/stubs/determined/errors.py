"""``determined.errors``: errors under their documented names."""

from pedl2det_runtime import refusals
from pedl2det_runtime.errors import (
    CheckFailedError,
    InvalidConfigurationException,
    InvalidDataTypeException,
    InvalidExperimentException,
    InvalidModelException,
)
from pedl2det_runtime.errors.determined import (
    CheckpointNotFound,
    CheckpointStateException,
    EnterpriseOnlyError,
    InternalException,
    InvalidCheckpointException,
    MultipleDownloadsFailed,
    NoDirectStorageAccess,
    ProxiedDownloadFailed,
    SkipWorkloadException,
    StopLoadingImplementation,
    WorkerError,
    WorkerFinishedGracefully,
)

__all__ = [
    "CheckFailedError",
    "CheckpointNotFound",
    "CheckpointStateException",
    "EnterpriseOnlyError",
    "InternalException",
    "InvalidCheckpointException",
    "InvalidConfigurationException",
    "InvalidDataTypeException",
    "InvalidExperimentException",
    "InvalidModelException",
    "MultipleDownloadsFailed",
    "NoDirectStorageAccess",
    "ProxiedDownloadFailed",
    "SkipWorkloadException",
    "StopLoadingImplementation",
    "WorkerError",
    "WorkerFinishedGracefully",
]

refusals.complete(__name__)
