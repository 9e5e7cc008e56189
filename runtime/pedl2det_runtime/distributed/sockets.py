"""The sockets of ZeroMQ: their addresses, options and keys."""

from __future__ import annotations

import errno
import fcntl
import socket
from pathlib import Path
from typing import IO, Any

import zmq
from zmq.utils import z85

from pedl2det_runtime.distributed.keys import Keys
from pedl2det_runtime.errors import CheckFailedError, DistributedError

#: Bytes of a frame. Heartbeats are sent between frames only, so frames must be short.
_PIECE = 4 << 20


def tcp_address(host: str, port: int) -> str:
    """Return the address of a port of a host.

    Raises:
        DistributedError: the host is unknown.
        CheckFailedError: the port is out of range.
    """
    if not 0 < port < 65536:
        raise CheckFailedError(f"DistributedContext: ports are 1 to 65535, got {port}")
    try:  # ZeroMQ binds to numeric addresses only
        family, *_, found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise DistributedError(f"chief_ip {host!r}: no address is known: {error}") from error
    return f"tcp://[{found[0]}]:{port}" if family == socket.AF_INET6 else f"tcp://{found[0]}:{port}"


def open_socket(context: Any, kind: int, address: str, keys: Keys | None) -> Any:
    """Create a ROUTER that will listen at an address, or a DEALER that will connect to it.

    Heartbeats detect a vanished machine, and a killed process whose children hold its connections.
    With keys, CURVE encrypts and authenticates every connection. The limits on handshakes and
    frames keep strangers from filling the memory.
    """
    opened = context.socket(kind)
    opened.heartbeat_ivl = 2_000  # milliseconds, as below
    opened.heartbeat_timeout = opened.heartbeat_ttl = 15_000
    opened.handshake_ivl = 10_000
    opened.maxmsgsize = _PIECE + (1 << 16)  # what encryption adds
    opened.sndhwm = opened.rcvhwm = 0  # queue whatever this process sends
    opened.sndtimeo = 0  # without a connection, fail instead of waiting
    opened.ipv6 = "[" in address
    if keys is not None and kind == zmq.ROUTER:
        opened.curve_server = True
        opened.curve_secretkey = keys.chief
    elif keys is not None:
        opened.curve_serverkey = public_key(keys.chief)
        opened.curve_publickey = public_key(keys.workers)
        opened.curve_secretkey = keys.workers
    return opened


def public_key(secret: bytes) -> bytes:
    """Return the public key of a secret one, in Z85."""
    return zmq.curve_public(z85.encode(secret))


def listen(router: Any, address: str) -> IO[str] | None:
    """Bind a socket to an address.

    Returns:
        The lock of a unix-domain socket; keep it open as long as the socket.

    Raises:
        DistributedError: the address is in use, or not of this machine.
    """
    lock: IO[str] | None = None
    try:
        if address.startswith("ipc://"):  # ZeroMQ would replace the socket of another chief
            lock = Path(address.removeprefix("ipc://") + ".lock").open("a")  # noqa: SIM115
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        router.bind(address)
    except (OSError, zmq.ZMQError) as error:
        why = f"cannot be listened on ({error}); chief_ip must be an address of its own machine"
        if error.errno in (errno.EADDRINUSE, errno.EAGAIN):
            why = "another process listens there already; give each of this run another port_offset"
        raise DistributedError(f"{address}: {why}") from error
    return lock


def send(through: Any, head: list[bytes], data: bytes) -> None:
    """Send the first frames of a message, and data in frames after them, without a copy."""
    view = memoryview(data)
    pieces = [view[start : start + _PIECE] for start in range(0, len(view), _PIECE)]
    through.send_multipart([*head, *pieces], copy=False)


def joined(frames: list[Any]) -> bytes:
    """Join the data of a message's frames."""
    return b"".join(frame.buffer for frame in frames)
