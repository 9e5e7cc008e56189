"""Environment variables that an experiment config sets for its trial."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


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
