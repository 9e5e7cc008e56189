"""Recognise the errors that Horovod raises when another rank is lost."""

from __future__ import annotations

from pedl2det_runtime.errors import RankLostError

_MESSAGES = ("Horovod has been shut down", "HorovodInternalError", "Connection closed by peer")


def as_lost(error: BaseException) -> BaseException:
    """Convert an error of Horovod about a lost rank to :class:`RankLostError`; return others."""
    text = f"{type(error).__name__}: {error}"
    if not any(message in text for message in _MESSAGES):
        return error
    lost = RankLostError("another process of this training has ended")
    lost.__cause__ = error
    return lost
