"""Read a config file into the validated model. Error messages name the file, line and key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from pedl2det_runtime.config import yaml12
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.errors import ConfigError

_MESSAGES = {
    "missing": "this key is required",
    "dict_type": "expected a mapping",
    "string_type": "expected text",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
}


def read_config(path: Path, overrides: tuple[str, ...] = ()) -> ExperimentConfig:
    """Read and validate an experiment config.

    Args:
        path: the YAML file.
        overrides: ``key.path=value`` strings that replace single values; the values are YAML.

    Raises:
        ConfigError: the file cannot be read, is not YAML, or is not a valid experiment config.
    """
    document = _parse(path)
    if not isinstance(document.value, dict):
        kind = type(document.value).__name__ if document.value is not None else "nothing"
        raise ConfigError(f"{path}: expected a mapping of config keys, got {kind}")
    if document.duplicate:
        raise ConfigError(f"{_location(path, document, document.duplicate)}: duplicate key")
    known = set(document.lines)
    for override in overrides:
        known |= _override(document.value, override)

    def location(keys: yaml12.KeyPath) -> str:
        return _location(path, document, keys) if keys else str(path)

    return config_from(document.value, location=location, known=known)


def config_from(
    value: dict[str, Any],
    *,
    raw: dict[str, Any] | None = None,
    location: Callable[[yaml12.KeyPath], str] = lambda keys: ".".join(map(str, keys)) or "config",
    known: set[yaml12.KeyPath] | None = None,
) -> ExperimentConfig:
    """Validate an experiment config from a mapping.

    Args:
        value: the config.
        raw: the mapping that the trial sees instead of ``value``.
        location: returns the location of a key path for messages.
        known: the existing key paths, if known.

    Raises:
        ConfigError: the mapping is not a valid experiment config.
    """
    try:
        config = ExperimentConfig.model_validate(value)
    except ValidationError as error:
        raise ConfigError(_first_message(error, location, known)) from None
    return config.model_copy(update={"raw": value if raw is None else raw})


def _parse(path: Path) -> yaml12.Document:
    if path.exists() and not path.is_file():
        raise ConfigError(f"{path}: expected a file, found a directory, pipe or device")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start})") from None
    try:
        return yaml12.parse(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{path}:{line}: not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not YAML: {str(error).splitlines()[0]}") from None


def _override(value: dict[str, Any], override: str) -> set[yaml12.KeyPath]:
    """Set one value of a config; return the key paths that the override creates."""
    key, sign, text = override.partition("=")
    if not sign or not key:
        raise ConfigError(f"--set {override}: expected key.path=value")
    *parents, last = key.split(".")
    for parent in parents:
        value = value.setdefault(parent, {})
        if not isinstance(value, dict):
            raise ConfigError(f"--set {override}: {parent} is not a mapping")
    try:
        value[last] = yaml12.parse(text).value
    except yaml.YAMLError:
        raise ConfigError(f"--set {override}: {text!r} is not a YAML value") from None
    path = (*parents, last)
    return {path[:length] for length in range(1, len(path) + 1)}


def _location(path: Path, document: yaml12.Document, keys: yaml12.KeyPath) -> str:
    """Return ``file:line: key.path``; a missing key gets the line of its parent."""
    known = keys
    while known and known not in document.lines:
        known = known[:-1]
    return f"{path}:{document.lines.get(known, 1)}: {'.'.join(map(str, keys))}"


def _first_message(
    error: ValidationError,
    location: Callable[[yaml12.KeyPath], str],
    known: set[yaml12.KeyPath] | None,
) -> str:
    """Format the first error of pydantic as one line."""
    details = error.errors()
    first = details[0]
    keys = first["loc"]
    message = first["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
    text = _MESSAGES.get(first["type"], message)
    if first["type"] not in ("missing", "value_error"):
        text += f", got {first['input']!r}"
    while known is not None and keys and keys not in known and first["type"] != "missing":
        keys = keys[:-1]  # pydantic lists the branches of a union like keys
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return f"{location(keys)}: {text}{more}"
