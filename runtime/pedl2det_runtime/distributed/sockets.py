"""What all sockets between processes have in common."""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.distributed import messages, times

#: Milliseconds in which a connection must have shown who it is.
_HANDSHAKE = 10_000


def prepare(socket: Any) -> None:
    """Let a socket notice silence, and never refuse to take a message of ours.

    A process that was killed may leave children that hold its connections open, and a machine may
    vanish: then nothing ends a connection but that nobody answers.

    A frame is kept until it is whole, also before it is known who sends it: its length is limited,
    or a stranger could fill the memory.
    """
    socket.heartbeat_ivl = times.HEARTBEAT * 1000
    socket.heartbeat_timeout = times.SILENCE * 1000
    socket.heartbeat_ttl = times.SILENCE * 1000
    socket.handshake_ivl = _HANDSHAKE
    socket.maxmsgsize = messages.LONGEST
    socket.sndhwm = socket.rcvhwm = 0
