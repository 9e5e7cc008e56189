"""From a config file to the validated model; every refusal names the file, line and key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from pedl2det_runtime.config import yaml12
from pedl2det_runtime.config.model import ExperimentConfig
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
        overrides: ``key.path=value`` texts that replace single values; values are YAML.

    Raises:
        ConfigError: the file cannot be read, is not YAML, or does not describe an experiment.
    """
    document = _parse(path)
    if not isinstance(document.value, dict):
        kind = type(document.value).__name__ if document.value is not None else "nothing"
        raise ConfigError(f"{path}: expected a mapping of config keys, got {kind}")
    if document.duplicate:
        raise ConfigError(f"{_place(path, document, document.duplicate)}: this key stands twice")
    known = set(document.lines)
    for override in overrides:
        known |= _override(document.value, override)

    def place(keys: yaml12.KeyPath) -> str:
        return _place(path, document, keys) if keys else str(path)

    return config_from(document.value, place=place, known=known)


def config_from(
    value: dict[str, Any],
    *,
    given: dict[str, Any] | None = None,
    place: Callable[[yaml12.KeyPath], str] = lambda keys: ".".join(map(str, keys)) or "config",
    known: set[yaml12.KeyPath] | None = None,
) -> ExperimentConfig:
    """Validate an experiment config that is a mapping already.

    Args:
        value: the config.
        given: what the trial is shown of it, if that is another mapping.
        place: says where a key path stands, for messages.
        known: the key paths that exist, where that is known.

    Raises:
        ConfigError: it does not describe an experiment.
    """
    try:
        config = ExperimentConfig.model_validate(value)
    except ValidationError as error:
        raise ConfigError(_first_message(error, place, known)) from None
    return config.model_copy(update={"raw": value if given is None else given})


def _parse(path: Path) -> yaml12.Document:
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
        raise ConfigError(f"{path}: not YAML: {error}") from None


def _override(value: dict[str, Any], override: str) -> set[yaml12.KeyPath]:
    """Set one value; returns the key paths that exist then."""
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


def _place(path: Path, document: yaml12.Document, keys: yaml12.KeyPath) -> str:
    """``file:line: key.path``; a key that is not there gets the line of its parent."""
    known = keys
    while known and known not in document.lines:
        known = known[:-1]
    return f"{path}:{document.lines.get(known, 1)}: {'.'.join(map(str, keys))}"


def _first_message(
    error: ValidationError,
    place: Callable[[yaml12.KeyPath], str],
    known: set[yaml12.KeyPath] | None,
) -> str:
    details = error.errors()
    first = details[0]
    keys = first["loc"]
    said = first["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
    text = _MESSAGES.get(first["type"], said)
    if first["type"] not in ("missing", "value_error"):
        text += f", got {first['input']!r}"
    while known is not None and keys and keys not in known and first["type"] != "missing":
        keys = keys[:-1]  # pydantic names the branches of a union as if they were keys
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return f"{place(keys)}: {text}{more}"
