"""Unknown keys of a config, and the known keys that were likely meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pedl2det_runtime.config import keys as known_keys
from pedl2det_runtime.config.keys import EFFECTS, HYPERPARAMETERS, Effect
from pedl2det_runtime.config.yaml12 import KeyPath, Source
from pedl2det_runtime.errors import ConfigError


@dataclass(frozen=True)
class UnknownKey:
    """A key that no documented config has."""

    keys: KeyPath  #: its path
    meant: str | None = None  #: the key that was likely meant, with its section if that is another
    is_mistake: bool = False  #: whether that key has an effect, and trials have no such keys


def unknown_keys(value: dict[str, Any]) -> Iterator[UnknownKey]:
    """Yield the unknown keys of a config, section by section.

    The top level, ``data`` and ``hyperparameters`` may have keys of the trial's own.
    """
    top = known_keys.names_in("")
    missing = {"hyperparameters", "searcher"} - value.keys()
    for name, child in value.items():
        if name not in top:
            meant = nearest(name, top)
            yield UnknownKey((name,), meant or _elsewhere(name), meant in missing)
        elif isinstance(child, dict) and (names := known_keys.names_in(name)):
            yield from _in_section(name, child, names)
    yield from _in_hyperparameters(("hyperparameters",), _hyperparameters(value))


def refuse_mistakes(value: dict[str, Any], source: Source) -> None:
    """Refuse misspelled keys that would change the training, and misspelled ``--set`` options.

    Raises:
        ConfigError: the first of them, with its line and the key that was likely meant.
    """
    for unknown in unknown_keys(value):
        is_option = unknown.keys in source.overrides
        meant = unknown.meant
        if is_option and unknown.keys[0] in _hyperparameters(value):
            meant = f"hyperparameters.{unknown.keys[0]}"
        if meant and (is_option or unknown.is_mistake):
            raise ConfigError(
                f"{source.location(unknown.keys)}: unknown key: did you mean {meant}?"
            )


def _hyperparameters(value: dict[str, Any]) -> dict[str, Any]:
    found = value.get("hyperparameters")
    return found if isinstance(found, dict) else {}


def _in_section(section: str, child: dict[str, Any], names: list[str]) -> Iterator[UnknownKey]:
    for name in child:
        if name not in names:
            meant = nearest(name, names)
            effect = EFFECTS.get(f"{section}.{meant}")
            is_mistake = effect not in (None, Effect.CLUSTER, Effect.LABEL)
            yield UnknownKey((section, name), meant or _elsewhere(name), is_mistake)


def _in_hyperparameters(path: KeyPath, group: dict[str, Any]) -> Iterator[UnknownKey]:
    """Yield the unknown keys of specifications; any other mapping is a group."""
    for name, spec in group.items():
        if not isinstance(spec, dict):
            continue
        if "type" not in spec:
            yield from _without_type((*path, name), spec)
            yield from _in_hyperparameters((*path, name), spec)
        elif isinstance(spec["type"], str) and (names := HYPERPARAMETERS.get(spec["type"])):
            for key in [key for key in spec if key not in names]:
                meant = nearest(key, names)
                yield UnknownKey((*path, name, key), meant, meant is not None)


def _without_type(path: KeyPath, spec: dict[str, Any]) -> Iterator[UnknownKey]:
    """Yield the misspelled ``type`` of a specification; a group may have a key ``dtype``."""
    if "vals" in spec or {"minval", "maxval"} <= spec.keys():
        for key in difflib.get_close_matches("type", map(str, spec), 1, cutoff=0.7):
            if key != "dtype" and str(spec.get(key)) in HYPERPARAMETERS:
                yield UnknownKey((*path, key), "type", is_mistake=True)


def unknown_hparam(name: str, hparams: dict[str, Any]) -> str:
    """Describe a hyperparameter that the config does not have, beside those that it has."""
    likely = nearest(name, hparams, similarity=0.5)
    hint = f"; did you mean {likely}?" if likely else ""
    known = ", ".join(sorted(hparams)) or "no hyperparameters"
    return f"hyperparameters.{name} is not in the config, which has {known}{hint}"


def nearest(name: object, names: Iterable[str], similarity: float = 0.8) -> str | None:
    """Return the name that a misspelled one most likely means, or None."""
    return next(iter(difflib.get_close_matches(str(name), list(names), 1, similarity)), None)


def _elsewhere(name: object) -> str | None:
    """Return the path of the key of this name in another section; no common word is looked up."""
    paths = (path for path in EFFECTS if path.rpartition(".")[2] == name and "_" in str(name))
    return next(paths, None)
