"""The secret of a run: who has it may join, and send pickles."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from pedl2det_runtime.errors import DistributedError

#: The environment variable of the secret, 64 hexadecimal digits.
KEY_VARIABLE = "PEDL2DET_CLUSTER_KEY"

_HOW = (
    f'make one with `python -c "import pedl2det_runtime.distributed as d; print(d.new_key())"` and '
    f"set ${KEY_VARIABLE} to it, the same for every process"
)


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
    home = Path(os.environ.get("XDG_RUNTIME_DIR") or Path.home())
    path = home / ".pedl2det-key"
    try:
        if not path.exists():
            draft = path.with_name(f"{path.name}-{secrets.token_hex(8)}")
            with os.fdopen(
                os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w"
            ) as file:
                file.write(new_key())
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
