"""What all sockets between processes have in common."""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.distributed import times

#: Milliseconds in which a connection must have shown who it is.
_HANDSHAKE = 10_000


def heartbeats(socket: Any) -> None:
    """Let a socket notice silence, and never refuse to take a message.

    A process that was killed may leave children that hold its connections open, and a machine may
    vanish: then nothing ends a connection but that nobody answers.
    """
    socket.heartbeat_ivl = times.HEARTBEAT * 1000
    socket.heartbeat_timeout = times.SILENCE * 1000
    socket.heartbeat_ttl = times.SILENCE * 1000
    socket.handshake_ivl = _HANDSHAKE
    socket.sndhwm = socket.rcvhwm = 0
