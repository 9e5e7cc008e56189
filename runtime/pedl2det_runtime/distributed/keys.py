"""The secret that the processes of a run share, and the key pairs that follow from it.

A launcher hands out 32 random bytes. CURVE (what ZeroMQ encrypts and authenticates with) needs a
key pair for the server and one for the clients; every process derives both, so that nothing else
need be told to anybody.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from dataclasses import dataclass

from pedl2det_runtime.distributed.library import zmq
from pedl2det_runtime.errors import DistributedError

#: The environment variable of the secret, 64 hexadecimal digits.
KEY_VARIABLE = "PEDL2DET_CLUSTER_KEY"

_HOW = (
    f'make one with `python -c "import pedl2det_runtime.distributed as d; print(d.new_key())"` and '
    f"set ${KEY_VARIABLE} to it, the same for every process"
)


@dataclass(frozen=True)
class KeyPair:
    """A public key and its secret one, in Z85 as ZeroMQ has them."""

    public: bytes
    secret: bytes


@dataclass(frozen=True)
class Keys:
    """The key pairs of a run."""

    server: KeyPair
    client: KeyPair


def new_key() -> str:
    """A new secret for ``$PEDL2DET_CLUSTER_KEY``: 32 random bytes as 64 hexadecimal digits."""
    return secrets.token_hex(32)


def keys_from_environment() -> Keys:
    """The key pairs of this run.

    Raises:
        DistributedError: there is no key, or what there is is none.
    """
    text = os.environ.get(KEY_VARIABLE)
    if not text:
        raise DistributedError(f"processes that talk over TCP need a key: {_HOW}")
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        secret = b""
    if len(secret) != 32:
        raise DistributedError(f"${KEY_VARIABLE}: expected 64 hexadecimal digits; {_HOW}")
    return Keys(server=_pair(secret, b"pedl2det server"), client=_pair(secret, b"pedl2det client"))


def _pair(secret: bytes, purpose: bytes) -> KeyPair:
    derived = hashlib.blake2b(key=secret, person=purpose, digest_size=32).digest()
    encoded = zmq().utils.z85.encode(derived)
    return KeyPair(public=zmq().curve_public(encoded), secret=encoded)
