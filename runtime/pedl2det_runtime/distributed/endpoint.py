"""Where a group meets, and what keeps others out of it."""

from __future__ import annotations

import errno
import fcntl
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pedl2det_runtime.distributed.keys import Keys
from pedl2det_runtime.distributed.library import zmq
from pedl2det_runtime.distributed.private_directory import socket_path
from pedl2det_runtime.errors import CheckFailedError, DistributedError


@dataclass(frozen=True)
class Endpoint:
    """Where the members of a group meet.

    Attributes:
        address: for ZeroMQ.
        keys: who has them may come; None where the directory of the socket guards it.
    """

    address: str
    keys: Keys | None


def unix_endpoint(name: str) -> Endpoint:
    """A unix-domain socket of this user."""
    return Endpoint(f"ipc://{socket_path(name)}", keys=None)


def tcp_endpoint(host: str, port: int, keys: Keys) -> Endpoint:
    """A port of one address of one machine.

    Raises:
        DistributedError: the host has no address.
        CheckFailedError: there is no such port.
    """
    if not 0 < port < 65536:
        raise CheckFailedError(f"DistributedContext: ports are 1 to 65535, got {port}")
    try:
        # ZeroMQ binds to numbers alone.
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise DistributedError(f"chief_ip {host!r}: no address is known: {error}") from error
    number = str(found[4][0])
    shown = f"[{number}]" if found[0] == socket.AF_INET6 else number
    return Endpoint(f"tcp://{shown}:{port}", keys)


def bind(hub: Any, endpoint: Endpoint) -> IO[str] | None:
    """Let a socket listen where its group meets.

    Returns:
        What holds the place while it is open, for a unix socket.

    Raises:
        DistributedError: somebody else listens there, or nobody can.
    """
    path = endpoint.address.removeprefix("ipc://")
    lock = _hold(Path(path)) if endpoint.address.startswith("ipc://") else None
    if endpoint.keys is not None:
        hub.curve_server = True
        hub.curve_publickey = endpoint.keys.server.public
        hub.curve_secretkey = endpoint.keys.server.secret
    hub.ipv6 = "[" in endpoint.address
    try:
        hub.bind(endpoint.address)
    except zmq().ZMQError as error:
        if lock is not None:
            lock.close()
        if error.errno == errno.EADDRINUSE:
            raise _taken(endpoint.address) from error
        raise DistributedError(
            f"{endpoint.address}: the chief cannot listen there ({error}); chief_ip must be an "
            "address of its own machine"
        ) from error
    return lock


def connect(member: Any, endpoint: Endpoint) -> None:
    """Let a socket go where its group meets."""
    if endpoint.keys is not None:
        member.curve_serverkey = endpoint.keys.server.public
        member.curve_publickey = endpoint.keys.client.public
        member.curve_secretkey = endpoint.keys.client.secret
    member.ipv6 = "[" in endpoint.address
    member.connect(endpoint.address)


def _hold(path: Path) -> IO[str]:
    # ZeroMQ would take the socket's file away from whoever listens on it. A lock of this kind is
    # not inherited by processes that this one forks, and ends with it.
    lock = path.with_name(f"{path.name}.lock").open("a")
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise _taken(f"ipc://{path}") from error
    return lock


def _taken(address: str) -> DistributedError:
    return DistributedError(
        f"{address}: another process listens there already; give every process of this run another "
        "port_offset"
    )
