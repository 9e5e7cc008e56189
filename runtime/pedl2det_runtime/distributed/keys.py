"""The secret of a run, and the CURVE keys that every process derives from it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from dataclasses import dataclass

from pedl2det_runtime.distributed.private_directory import socket_path
from pedl2det_runtime.errors import DistributedError

#: The environment variable of the secret, 64 hexadecimal digits.
KEY_VARIABLE = "PEDL2DET_CLUSTER_KEY"

_HOW = (
    f'make one with `python -c "import pedl2det_runtime.distributed as d; print(d.new_key())"` and '
    f"set ${KEY_VARIABLE} to it, the same for every process"
)


@dataclass(frozen=True)
class Keys:
    """The secret CURVE keys of a run, 32 bytes each: the chief's, and that of all its workers."""

    chief: bytes
    workers: bytes


def new_key() -> str:
    """Return a new secret for ``$PEDL2DET_CLUSTER_KEY``: 32 random bytes in hexadecimal."""
    return secrets.token_hex(32)


def find_keys(*, is_one_machine: bool) -> Keys:
    """Derive the keys of this run from ``$PEDL2DET_CLUSTER_KEY``.

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
    chief, workers = (
        hashlib.blake2b(key=secret, person=purpose, digest_size=32).digest()
        for purpose in (b"pedl2det server", b"pedl2det client")
    )
    return Keys(chief, workers)


def _users_secret() -> str:
    """Return the secret of this user on this machine; the first process writes it."""
    path = socket_path("key")
    draft = path.with_name(f"key-{secrets.token_hex(8)}")
    if not path.exists():
        draft.write_text(new_key(), encoding="ascii")
        with contextlib.suppress(FileExistsError):  # another process was first
            os.link(draft, path)
        draft.unlink()
    return path.read_text(encoding="ascii")
