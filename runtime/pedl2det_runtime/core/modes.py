"""The enumerations of ``determined.core``."""

from __future__ import annotations

from enum import Enum


class TensorboardMode(Enum):
    """Who uploads TensorBoard files; they are local here."""

    AUTO = "AUTO"
    MANUAL = "MANUAL"


class DownloadMode(Enum):
    """Whether the processes of a machine share one download."""

    LocalWorkersShareDownload = "LOCAL_WORKERS_SHARE_DOWNLOAD"
    NoSharedDownload = "NO_SHARED_DOWNLOAD"


class EarlyExitReason(Enum):
    """Why a training ends early."""

    INVALID_HP = "EXITED_REASON_INVALID_HP"
    USER_REQUESTED_STOP = "EXITED_REASON_USER_REQUESTED_STOP"


class SearcherMode(Enum):
    """Which processes ask for operations."""

    WorkersAskChief = "WORKERS_ASK_CHIEF"
    ChiefOnly = "CHEIF_ONLY"  # as Determined 0.38.1 spells it


class PreemptMode(Enum):
    """Which processes ask whether to stop."""

    WorkersAskChief = "WORKERS_ASK_CHIEF"
    ChiefOnly = "CHIEF_ONLY"
    WorkersAskMaster = "WORKERS_ASK_MASTER"


class Unit(Enum):
    """The unit of a length."""

    EPOCHS = "EPOCHS"
    RECORDS = "RECORDS"
    BATCHES = "BATCHES"
