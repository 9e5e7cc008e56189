"""Errors of ``determined.errors`` that trials catch or raise, beside those of this package."""

from __future__ import annotations

from pedl2det_runtime.errors import CheckpointError


class CheckpointNotFound(CheckpointError):  # noqa: N818 - the documented name
    """A checkpoint is not in the storage."""


class InvalidCheckpointException(CheckpointError):  # noqa: N818
    """A checkpoint is of another version."""

    def __init__(self, message: str = "this checkpoint cannot be loaded") -> None:
        super().__init__(message)


class CheckpointStateException(CheckpointError):  # noqa: N818
    """A checkpoint is not complete."""


class InternalException(Exception):  # noqa: N818
    """An internal error of Determined; never raised here."""


class EnterpriseOnlyError(Exception):
    """Only Determined's enterprise edition has this; never raised here."""


class MultipleDownloadsFailed(Exception):  # noqa: N818
    """A download failed in several ways; never raised here."""


class NoDirectStorageAccess(Exception):  # noqa: N818
    """The checkpoint storage cannot be reached directly; never raised here."""


class ProxiedDownloadFailed(Exception):  # noqa: N818
    """A download through the master failed; never raised here."""


class SkipWorkloadException(Exception):  # noqa: N818
    """A controller skips a workload; never raised here."""


class StopLoadingImplementation(Exception):  # noqa: N818
    """The native API stops loading; never raised here."""


class WorkerError(Exception):
    """A process of a run failed; never raised here."""


class WorkerFinishedGracefully(Exception):  # noqa: N818
    """A process of a run ended; never raised here."""
