"""Credentials in a config: they are used, and never shown or written."""

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
_IN_URL = re.compile(r"(?<=://)([^/\s:@]*):([^/\s@]+)(?=@)")
STARS = "********"


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
    if _is_secret(name):
        return STARS
    if (assigned := _ASSIGNED.match(value)) and _is_secret(assigned[1]):
        return f"{assigned[1]}={STARS}"
    return _IN_URL.sub(rf"\1:{STARS}", value)


def scrubbed(text: str, config: Any) -> str:
    """A text in which the credentials of a config are replaced by stars."""
    for secret in sorted(set(_secrets(config)), key=len, reverse=True):
        text = text.replace(secret, STARS)
    return text


def _is_secret(name: object) -> bool:
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
        if _is_secret(name):
            yield value
        elif (assigned := _ASSIGNED.match(value)) and _is_secret(assigned[1]):
            yield assigned[2]
        elif found := _IN_URL.search(value):
            yield found[2]
