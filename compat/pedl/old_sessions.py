"""Sessions of TensorFlow 1: in eager mode they return the present values of tensors."""

from __future__ import annotations

from typing import Any, NoReturn

from pedl.old_tensorflow import NeedsGraphModeError, evaluated
from pedl2det_legacy import sessions


class EagerSession(sessions.Session):
    """``tf.Session`` in eager mode; in graph mode the constructor returns a real session."""

    def _value(self, fetch: Any) -> Any:
        return evaluated(fetch)

    def _fail(self, reason: str) -> NoReturn:
        raise NeedsGraphModeError(f"tf.{reason}")


def get_session() -> Any:
    """Return the session of the graph, or one for eager mode."""
    session = sessions.get_session()
    is_eager = isinstance(session, sessions.Session)
    return EagerSession() if is_eager else session  # type: ignore[no-untyped-call]


set_session = sessions.set_session
