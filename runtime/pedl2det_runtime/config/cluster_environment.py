"""What the containers of a cluster gave a trial: paths and environment variables.

The model directory of a trial was its working directory, and is so here, so its path becomes a
relative one. ``bind_mounts`` say where the others are (Determined documentation, *Experiment
Configuration Reference*). A path that this machine has means itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

#: The model directory in a container, of Determined and of PEDL, and what it is here.
HOMES = dict.fromkeys(("/run/determined/workdir", "/run/pedl/workdir"), ".")
#: Sections of a config whose paths are not the trial's.
OTHERS = ("bind_mounts", "checkpoint_storage", "entrypoint", "environment", "tensorboard_storage")

_NAMES = {".": "the trial's directory"}

#: What each directory of a container is here.
Places = Mapping[str, str]


def places(raw: Mapping[str, Any]) -> dict[str, str]:
    """Return what directories of a container are here, if this machine does not have them."""
    return {path: at for path, at in _places(raw).items() if not Path(path).exists()}


def _places(raw: Mapping[str, Any]) -> dict[str, str]:
    found = dict(HOMES)
    mounts = raw.get("bind_mounts")
    for mount in mounts if isinstance(mounts, list) else ():
        match mount:
            case {"container_path": str(inside), "host_path": str(outside)}:
                if inside.startswith("/"):
                    found[inside.rstrip("/")] = outside.rstrip("/")
    return found


def here(value: Any, known: Places) -> Any:
    """Return a value with its paths of a container as those of here, within lists and dicts too."""
    if isinstance(value, dict):
        return {key: here(one, known) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(here(one, known) for one in value)
    if isinstance(value, CodeType):
        return value.replace(co_consts=here(value.co_consts, known))
    if isinstance(value, str) and value.startswith("/"):
        for there in sorted(known, key=len, reverse=True):
            if value == there or value.startswith(f"{there}/"):
                return known[there] + value[len(there) :]
    return value


def config_here(raw: dict[str, Any], known: Places) -> dict[str, Any]:
    """Return a config with the paths of here in what its trial reads."""
    return {key: one if key in OTHERS else here(one, known) for key, one in raw.items()}


def relative(path: str, *configs: Mapping[str, Any]) -> str:
    """Return a path in the model directory as a relative one, unless it is below a mount."""
    found = {here(path, _places(raw)) for raw in ({}, *configs)}
    return path if len(found) > 1 else found.pop()


@contextmanager
def in_code(directory: Path, known: Places) -> Iterator[None]:
    """Give the modules of a directory the paths of here when they are imported, then undo it."""
    loaders: Any = SourceFileLoader
    original = loaders.get_code

    def get_code(loader: Any, fullname: str) -> Any:  # behind the cache of bytecode
        code = original(loader, fullname)
        return here(code, known) if directory in Path(loader.path).parents else code

    loaders.get_code = get_code
    try:
        yield
    finally:
        loaders.get_code = original


def notices(raw: Mapping[str, Any], known: Places) -> Iterator[str]:
    """Yield one line for the paths of a cluster that a config says or has mounted."""
    read = repr([one for key, one in raw.items() if key not in OTHERS])
    used = [there for there in known if there not in HOMES or f"'{there}" in read]
    if used:
        named = (f"{one} is {_NAMES.get(known[one], known[one])}" for one in used)
        yield f"paths of the cluster: {', '.join(named)}"


def named_by(path: str, config: Any, keys: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the keys of the config values that a path is, or that it is below or begins with."""
    if isinstance(config, dict):
        for key, one in config.items():
            yield from named_by(path, one, (*keys, str(key)))
    elif isinstance(config, str) and len(config) > 1 and _is_part(config, path):
        yield keys


def _is_part(value: str, path: str) -> bool:
    """Whether a config value names a path, its file, or a directory that it is in."""
    parts, wanted = Path(path).parts, Path(value).parts
    size = len(wanted)
    return any(parts[at : at + size] == wanted for at in range(len(parts) - size + 1))


def assignments(raw: dict[str, Any]) -> dict[str, str]:
    """Return the values of ``environment.environment_variables`` by name, not yet expanded.

    They are a list of ``NAME=VALUE`` or a mapping, of all machines or of those with and without a
    GPU.
    """
    section = raw.get("environment")
    entries = section.get("environment_variables") if isinstance(section, dict) else None
    if isinstance(entries, dict) and entries.keys() <= {"cpu", "gpu", "cuda", "rocm"}:
        kinds = ("gpu", "cuda", "rocm") if _has_gpu() else ("cpu",)
        entries = next((entries[kind] for kind in kinds if kind in entries), None)
    if isinstance(entries, dict):
        return {str(name): str(value) for name, value in entries.items()}
    pairs = (str(entry).partition("=") for entry in entries or ())
    return {name: value for name, _, value in pairs if name}


def _has_gpu() -> bool:
    import tensorflow as tf

    return bool(tf.config.list_physical_devices("GPU"))


@contextmanager
def variables_set(raw: dict[str, Any]) -> Iterator[None]:
    """Set the environment variables of a config, in order, and restore the earlier ones."""
    variables = assignments(raw)
    before = {name: os.environ.get(name) for name in variables}
    for name, value in variables.items():
        os.environ[name] = os.path.expandvars(value)
    try:
        yield
    finally:
        for name, earlier in before.items():
            os.environ.pop(name, None)
            if earlier is not None:
                os.environ[name] = earlier
