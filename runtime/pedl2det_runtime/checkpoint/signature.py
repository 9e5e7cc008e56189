"""Sign the checkpoints that this user trusts.

``pedl2det-signature.json`` has the HMAC-SHA256 of the hashes of all other files. Its key is made
once and only this user can read it. A file that is changed, added or removed ends the signature.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import stat
import tempfile
from pathlib import Path
from typing import Any

from pedl2det_runtime.checkpoint import manifest, ownership
from pedl2det_runtime.checkpoint.untrusted_files import read_json, reading
from pedl2det_runtime.errors import CheckpointError

_KEY_BYTES = 64


def files_of(directory: Path) -> dict[str, Any]:
    """Return the entries of the files that a signature covers (:mod:`.manifest`)."""
    metadata = directory / ownership.METADATA
    about = {metadata.name: manifest.entry_of(metadata)} if os.path.lexists(metadata) else {}
    return manifest.describe_files(directory) | about


def sign(directory: Path, files: dict[str, Any]) -> None:
    """Write the signature of a checkpoint with these files (:func:`files_of`).

    Raises:
        CheckpointError: there is no usable key.
        OSError: the signature cannot be written.
    """
    text = json.dumps({"hmac": _hmac(files)})
    ownership.replace_file(directory / ownership.SIGNATURE, f"{text}\n")


def is_signed(directory: Path) -> bool:
    """Return whether this user has signed a checkpoint as it is now.

    Raises:
        CheckpointError: a file is damaged, or the key cannot be used.
    """
    path = directory / ownership.SIGNATURE
    if not os.path.lexists(path):
        return False
    signature = read_json(path).get("hmac")
    with reading(path):
        files = files_of(directory)
    return (
        isinstance(signature, str)
        and signature.isascii()
        and (hmac.compare_digest(signature, _hmac(files)))
    )


def _hmac(files: dict[str, Any]) -> str:
    text = json.dumps(files, sort_keys=True)
    return hmac.new(_key(), f"pedl2det checkpoint\n{text}".encode(), hashlib.sha256).hexdigest()


def _key() -> bytes:
    """Return the user's key; make it the first time."""
    try:
        state = Path(os.environ.get("XDG_STATE_HOME", ""))
        if not state.is_absolute():
            state = Path.home() / ".local" / "state"
        path = state / "pedl2det" / "checkpoint-key"
        if not os.path.lexists(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent) as draft:  # mode 0600
                draft.write(secrets.token_hex(_KEY_BYTES // 2).encode())
                draft.flush()
                with contextlib.suppress(FileExistsError):  # another process was first
                    os.link(draft.name, path)
        status = path.lstat()
        is_private = status.st_uid == os.geteuid() and not status.st_mode & 0o077
        key = path.read_bytes() if stat.S_ISREG(status.st_mode) and is_private else b""
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home directory
        raise CheckpointError(
            f"the key that signs your checkpoints cannot be used: {error}; set XDG_STATE_HOME to a "
            "directory of yours"
        ) from None
    if len(key) != _KEY_BYTES:
        raise CheckpointError(
            f"{path}: expected the key that signs your checkpoints, a file that only you can read: "
            "remove it, and sign your checkpoints again with pedl2det checkpoint trust"
        )
    return key
