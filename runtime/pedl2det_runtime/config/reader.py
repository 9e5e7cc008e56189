"""Read a config file into the validated model. Error messages name the file, line and key."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from pedl2det_runtime.config import yaml12
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.config.unknown_keys import refuse_mistakes
from pedl2det_runtime.config.yaml12 import Source
from pedl2det_runtime.errors import ConfigError

_MESSAGES = {
    "missing": "this key is required",
    "dict_type": "expected a mapping",
    "model_type": "expected a mapping",
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
    source = Source(path, document.lines)
    if not isinstance(document.value, dict):
        kind = type(document.value).__name__ if document.value is not None else "nothing"
        raise ConfigError(f"{path}: expected a mapping of config keys, got {kind}")
    if document.duplicate:
        raise ConfigError(f"{source.location(document.duplicate)}: duplicate key")
    options = [_override(document.value, override) for override in overrides]
    source = replace(
        source,
        overrides=tuple(keys for keys, _ in options),
        added=tuple(keys for keys, is_new in options if is_new),
    )
    return config_from(document.value, source=source)


def config_from(
    value: dict[str, Any], *, raw: dict[str, Any] | None = None, source: Source | None = None
) -> ExperimentConfig:
    """Validate an experiment config from a mapping.

    Args:
        value: the config.
        raw: the mapping that the trial sees instead of ``value``.
        source: where its keys were written; by default in code.

    Raises:
        ConfigError: the mapping is not a valid experiment config.
    """
    source = source or Source()
    refuse_mistakes(value, source)
    try:
        config = ExperimentConfig.model_validate(value)
    except ValidationError as error:
        raise ConfigError(_first_message(error, source)) from None
    return config.read_from(value if raw is None else raw, source)


def local_config(config: dict[str, Any]) -> dict[str, Any]:
    """Complete a config that is written in code: its searcher and hyperparameters may be missing.

    Returns:
        A new mapping. Without a length in ``searcher``, one scheduling unit is trained. A searcher
        that is not a mapping is kept, for :func:`config_from` to refuse.
    """
    config = {"hyperparameters": {}, **config}
    searcher = config.get("searcher") or {}
    if not isinstance(searcher, dict):
        return config
    is_long = {"max_length", "max_steps", "target_trial_steps", "num_rounds"} & searcher.keys()
    steps = "batches_per_step" in config
    length = {"max_steps": 1} if steps else {"max_length": {"batches": 100}}
    defaults = {"name": "single", "metric": "val_loss", **({} if is_long else length)}
    return {**config, "searcher": {**defaults, **searcher}}


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


def _override(value: dict[str, Any], override: str) -> tuple[yaml12.KeyPath, bool]:
    """Set one value of a config; return its key path, and whether the config did not have it."""
    key, sign, text = override.partition("=")
    if not sign or not key:
        raise ConfigError(f"--set {override}: expected key.path=value")
    *parents, last = key.split(".")
    for parent in parents:
        value = value.setdefault(parent, {})
        if not isinstance(value, dict):
            raise ConfigError(f"--set {override}: {parent} is not a mapping")
    is_new = last not in value
    try:
        value[last] = yaml12.parse(text).value
    except yaml.YAMLError:
        raise ConfigError(f"--set {override}: {text!r} is not a YAML value") from None
    return (*parents, last), is_new


def _first_message(error: ValidationError, source: Source) -> str:
    """Format the first error of pydantic as one line."""
    details = error.errors()
    first = details[0]
    keys = first["loc"]
    message = first["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
    text = _MESSAGES.get(first["type"], message)
    if first["type"] not in ("missing", "value_error"):
        text += f", got {first['input']!r}"
    while keys and not source.has(keys) and first["type"] != "missing":
        keys = keys[:-1]  # pydantic lists the branches of a union like keys
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return f"{source.location(keys)}: {text}{more}"
