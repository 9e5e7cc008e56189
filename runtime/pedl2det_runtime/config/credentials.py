"""Credentials in a config: they are used, and never shown or written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_SECRET = (
    *("secret", "password", "token", "access_key", "account_key", "credential", "auth"),
    "connection_string",
)
STARS = "********"


def without_credentials(value: Any) -> Any:
    """A copy of a config in which every credential is replaced by stars."""
    if isinstance(value, dict):
        return {
            key: STARS
            if _is_secret(key) and not isinstance(child, dict)
            else without_credentials(child)
            for key, child in value.items()
        }
    if isinstance(value, list):
        return [without_credentials(child) for child in value]
    return value


def scrubbed(text: str, config: Any) -> str:
    """A text in which the credentials of a config are replaced by stars."""
    for secret in sorted(set(_secrets(config)), key=len, reverse=True):
        text = text.replace(secret, STARS)
    return text


def _is_secret(key: object) -> bool:
    return any(word in str(key).lower() for word in _SECRET)


def _secrets(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, child in value.items():
            if _is_secret(key) and isinstance(child, str) and child:
                yield child
            else:
                yield from _secrets(child)
    elif isinstance(value, list):
        for child in value:
            yield from _secrets(child)
