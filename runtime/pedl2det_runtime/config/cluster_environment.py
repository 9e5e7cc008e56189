"""The paths and environment variables that a cluster's containers gave a trial.

The model directory of a trial was its working directory, and is so here: its path becomes a
relative one. ``bind_mounts`` map the others (Determined documentation, *Experiment Configuration
Reference*). A path that exists on this machine stays as it is.
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

#: What each directory of a container is here.
Places = Mapping[str, str]


def places(raw: Mapping[str, Any]) -> dict[str, str]:
    """Return what directories of a container are here, if this machine does not have them."""
    found = dict(HOMES)
    mounts = raw.get("bind_mounts")
    for mount in mounts if isinstance(mounts, list) else ():
        match mount:
            case {"container_path": str(inside), "host_path": str(outside)}:
                if inside.startswith("/"):
                    found[inside.rstrip("/")] = outside.rstrip("/")
    return {path: at for path, at in found.items() if not Path(path).exists()}


def here(value: Any, known: Places) -> Any:
    """Replace a container's paths by those of this machine in a value, lists, dicts and code."""
    if isinstance(value, dict):
        return {key: here(child, known) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(here(child, known) for child in value)
    if isinstance(value, CodeType):
        return value.replace(co_consts=here(value.co_consts, known))
    if isinstance(value, str) and value.startswith("/"):
        for there in sorted(known, key=len, reverse=True):
            if value == there or value.startswith(f"{there}/"):
                return known[there] + value[len(there) :]
    return value


def config_here(raw: dict[str, Any], known: Places) -> dict[str, Any]:
    """Return a config with the paths of this machine in what its trial reads."""
    return {key: value if key in OTHERS else here(value, known) for key, value in raw.items()}


@contextmanager
def in_code(directory: Path, known: Places) -> Iterator[None]:
    """Replace paths in modules of a directory that are imported in the ``with`` block."""
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
    read = repr([value for key, value in raw.items() if key not in OTHERS])
    used = [there for there in known if there not in HOMES or f"'{there}" in read]
    if used:
        names = {".": "the trial's directory"}
        named = (f"{there} is {names.get(known[there], known[there])}" for there in used)
        yield f"paths of the cluster: {', '.join(named)}"


def named_by(
    path: str, config: Any, keys: tuple[str, ...] = ()
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the config values that a path is, is below or begins with: their parts, their keys."""
    if isinstance(config, dict):
        for key, value in config.items():
            yield from named_by(path, value, (*keys, str(key)))
    elif isinstance(config, str) and len(config) > 1:
        parts, part = Path(path).parts, Path(config).parts
        size = len(part)
        if any(parts[at : at + size] == part for at in range(len(parts) - size + 1)):
            yield size, keys


def assignments(raw: dict[str, Any]) -> dict[str, str]:
    """Return the values of ``environment.environment_variables`` by name, not yet expanded.

    They are a list of ``NAME=VALUE`` or a mapping, of all machines or of those with and without a
    GPU.
    """
    section = raw.get("environment")
    entries = section.get("environment_variables") if isinstance(section, dict) else None
    if isinstance(entries, dict) and entries.keys() <= {"cpu", "gpu", "cuda", "rocm"}:
        import tensorflow as tf

        has_gpu = bool(tf.config.list_physical_devices("GPU"))
        kinds = ("gpu", "cuda", "rocm") if has_gpu else ("cpu",)
        entries = next((entries[kind] for kind in kinds if kind in entries), None)
    if isinstance(entries, dict):
        return {str(name): str(value) for name, value in entries.items()}
    pairs = (str(entry).partition("=") for entry in entries or ())
    return {name: value for name, _, value in pairs if name}


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
