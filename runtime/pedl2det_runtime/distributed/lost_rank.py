"""What Horovod raises on a rank when another rank is gone."""

from __future__ import annotations

from pedl2det_runtime.errors import RankLostError

_SAID = ("Horovod has been shut down", "HorovodInternalError", "Connection closed by peer")


def as_lost(error: BaseException) -> BaseException:
    """The error; a :class:`RankLostError` instead where it says that another rank is gone."""
    text = f"{type(error).__name__}: {error}"
    if not any(said in text for said in _SAID):
        return error
    lost = RankLostError("another process of this training is gone")
    lost.__cause__ = error
    return lost
