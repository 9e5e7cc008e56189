"""TCP connections between processes that prove to each other that they have the run's secret.

Whoever has the secret may join, and send pickles. The proof is that of
``multiprocessing.connection``: nothing is unpickled before it, and nothing is encrypted after it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import socket
import struct
import threading
import weakref
from collections.abc import Callable
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from pathlib import Path

from pedl2det_runtime.errors import CheckFailedError, DistributedError

#: The environment variable of the secret, 64 hexadecimal digits.
KEY_VARIABLE = "PEDL2DET_CLUSTER_KEY"

_HOW = (
    f'make one with `python -c "import pedl2det_runtime.distributed as d; print(d.new_key())"` and '
    f"set ${KEY_VARIABLE} to it, the same for every process"
)
#: An IP address and a port.
Place = tuple[str, int]

#: What a greeting by a stranger, or by a process with another secret, raises.
REFUSED = (AuthenticationError, AssertionError, EOFError, OSError, ValueError)

_GREETING = 10  # seconds that a greeting may take
_STRANGERS = 64  # greetings at the same time
_SILENCE = 20  # seconds after which a machine that no longer answers is gone
_LONGEST = 200  # bytes of a worker's introduction

_open: weakref.WeakSet[Connection] = weakref.WeakSet()


def new_key() -> str:
    """Return a new secret for ``$PEDL2DET_CLUSTER_KEY``: 32 random bytes in hexadecimal."""
    return secrets.token_hex(32)


def find_key(*, is_one_machine: bool) -> bytes:
    """Return the secret of this run, from ``$PEDL2DET_CLUSTER_KEY``.

    Args:
        is_one_machine: whether all processes are on this machine. Without the variable, they
            share a secret in a file that only this user can read.

    Raises:
        DistributedError: the variable is missing or malformed, or the file is not private.
    """
    text = os.environ.get(KEY_VARIABLE)
    if not text and is_one_machine:
        text = _users_secret()
    if not text:
        raise DistributedError(f"processes of several machines need a key: {_HOW}")
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        secret = b""
    if len(secret) != 32:
        raise DistributedError(f"${KEY_VARIABLE}: expected 64 hexadecimal digits; {_HOW}")
    return secret


def _users_secret() -> str:
    """Return the secret of this user on this machine; the first process writes it."""
    path = Path(os.environ.get("XDG_RUNTIME_DIR") or Path.home()) / ".pedl2det-key"
    try:
        if not path.exists():
            draft = path.with_name(f"{path.name}-{secrets.token_hex(8)}")
            draft.touch(0o600, exist_ok=False)
            draft.write_text(new_key(), encoding="ascii")
            with contextlib.suppress(FileExistsError):  # another process was first
                os.link(draft, path)
            draft.unlink()
        with path.open(encoding="ascii") as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & 0o077:
                raise DistributedError(f"{path}: others may read or write it; remove it, or {_HOW}")
            return file.read()
    except OSError as error:
        raise DistributedError(f"{path}: no secret can be kept: {error.strerror}; {_HOW}") from None


def place_of(host: str, port: int) -> Place:
    """Return the numeric address of a port of a host.

    Raises:
        DistributedError: the host is unknown.
        CheckFailedError: the port is out of range.
    """
    if not 0 <= port < 65536:
        raise CheckFailedError(f"DistributedContext: ports are 1 to 65535, got {port}")
    try:
        *_, found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise DistributedError(f"chief_ip {host!r}: no address is known: {error}") from error
    return str(found[0]), int(found[1])


class Door:
    """A chief's listening socket: it admits whoever proves the secret, until it is closed.

    Args:
        place: where to listen; port 0 takes a free one.
        key: the secret.
        admit: called with each connection and the worker's introduction, on another thread.

    Raises:
        DistributedError: the place is in use, or not of this machine.
    """

    def __init__(
        self, place: Place, key: bytes, admit: Callable[[Connection, bytes], None]
    ) -> None:
        family = socket.AF_INET6 if ":" in place[0] else socket.AF_INET
        try:
            self._server = socket.create_server(place, family=family)
        except OSError as error:
            why = f"cannot be listened on ({error}); chief_ip must be an address of its own machine"
            if error.errno == errno.EADDRINUSE:
                why = (
                    "another process listens there already; give each of this run another "
                    "port_offset"
                )
            raise DistributedError(f"{place[0]}:{place[1]}: {why}") from error
        self.place: Place = self._server.getsockname()[:2]
        self._key, self._admit = key, admit
        self._places = threading.Semaphore(_STRANGERS)
        threading.Thread(target=self._open, daemon=True).start()

    def close(self) -> None:
        """Listen no longer."""
        try:
            self._server.shutdown(socket.SHUT_RDWR)  # which ends ``accept``
        except OSError:
            return  # closed before
        self._server.close()

    def _open(self) -> None:
        while True:
            try:
                visitor, _ = self._server.accept()
            except OSError:
                return
            self._places.acquire()
            threading.Thread(target=self._greet, args=(visitor,), daemon=True).start()

    def _greet(self, visitor: socket.socket) -> None:
        try:
            self._admit(*_greeted(visitor, self._key))
        except REFUSED:
            pass
        finally:
            self._places.release()


def connect(place: Place, key: bytes, introduction: bytes) -> Connection:
    """Connect to a chief, and introduce this process.

    Raises:
        ConnectionRefusedError, TimeoutError: nobody listens there.
        REFUSED: who listens there does not prove the secret, or does not accept ours.
    """
    visitor = socket.create_connection(place, timeout=_GREETING)
    visitor.settimeout(None)
    return _greeted(visitor, key, introduction)[0]


def _greeted(
    visitor: socket.socket, key: bytes, introduction: bytes | None = None
) -> tuple[Connection, bytes]:
    """Prove the secret to each other; then a worker introduces itself."""
    with visitor:
        _limit(visitor, _GREETING)
        connection = Connection(os.dup(visitor.fileno()))
        try:
            if introduction is None:
                deliver_challenge(connection, key)
                answer_challenge(connection, key)
                introduction = connection.recv_bytes(_LONGEST)
            else:
                answer_challenge(connection, key)
                deliver_challenge(connection, key)
                connection.send_bytes(introduction)
        except BaseException:
            connection.close()
            raise
        _limit(visitor, 0)
        visitor.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A machine that vanishes closes no connection: probe it, and count the missing answers.
        visitor.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in (
            (socket.TCP_KEEPIDLE, 5),
            (socket.TCP_KEEPINTVL, 5),
            (socket.TCP_KEEPCNT, 3),
            (socket.TCP_USER_TIMEOUT, _SILENCE * 1000),
        ):
            visitor.setsockopt(socket.IPPROTO_TCP, option, value)
    _open.add(connection)
    return connection, introduction


def _limit(visitor: socket.socket, seconds: int) -> None:
    """Limit how long to wait for one byte; 0 for no limit."""
    limit = struct.pack("ll", seconds, 0)
    visitor.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
    visitor.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)


def _close_in_child() -> None:
    """Close the connections of the parent: kept open, they would hide that the parent is gone."""
    for connection in list(_open):
        if not connection.closed:
            connection.close()


os.register_at_fork(after_in_child=_close_in_child)
