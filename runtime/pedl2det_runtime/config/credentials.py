"""Credentials in a config: they are used, and never shown or written.

Pure, and outside of ``config``, which needs pydantic: what ``pedl2det migrate`` shows is without
them, too.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

_WORDS = {
    "auth",
    "credential",
    "credentials",
    "passphrase",
    "passwd",
    "password",
    "secret",
    "token",
}
_PAIRS = {
    *(("access", "key"), ("account", "key"), ("api", "key"), ("private", "key")),
    ("connection", "string"),
}
_ASSIGNED = re.compile(r"^(\w+)=(.+)$", re.DOTALL)  # of environment_variables
_IN_URL = re.compile(r"(?<=://)[^/\s:@]*:([^/\s@]+)(?=@)")
STARS = "********"

Part = tuple[int, int]  # from, to


def without_credentials(value: Any, name: object = "") -> Any:
    """A copy of a config in which every credential is replaced by stars.

    Args:
        value: the config, or a part of it.
        name: the key under which it stands.
    """
    if isinstance(value, dict):
        return {key: without_credentials(child, key) for key, child in value.items()}
    if isinstance(value, list):
        return [without_credentials(child, name) for child in value]
    if not isinstance(value, str):
        return value  # numbers and switches
    for start, end in reversed(secret_parts(value, name)):
        value = value[:start] + STARS + value[end:]
    return value


def scrubbed(text: str, config: Any) -> str:
    """A text in which the credentials of a config are replaced by stars."""
    for secret in sorted(set(_secrets(config)), key=len, reverse=True):
        text = text.replace(secret, STARS)
    return text


def secret_parts(value: str, name: object = "") -> list[Part]:
    """Where the credentials are in a text that stands under a key, in order."""
    if is_secret(name):
        return [(0, len(value))]
    if (assigned := _ASSIGNED.match(value)) and is_secret(assigned[1]):
        return [assigned.span(2)]
    return passwords_of_urls(value)


def passwords_of_urls(text: str) -> list[Part]:
    """Where the passwords of all addresses in a text are, in order."""
    return [found.span(1) for found in _IN_URL.finditer(text)]


def is_secret(name: object) -> bool:
    """Whether what stands under a name is a credential."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(name))
    words = re.split(r"[^a-z0-9]+", spaced.lower())
    return bool(_WORDS.intersection(words) or _PAIRS.intersection(itertools.pairwise(words)))


def _secrets(value: Any, name: object = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield from _secrets(child, key)
    elif isinstance(value, list):
        for child in value:
            yield from _secrets(child, name)
    elif isinstance(value, str) and value:
        for start, end in secret_parts(value, name):
            yield value[start:end]
