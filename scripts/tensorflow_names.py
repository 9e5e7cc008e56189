"""Write the lists of names of ``pedl2det_names`` that TensorFlow itself can tell.

``compat_v1.txt``: the names that ``tf.compat.v1`` has and ``tf`` has not. Each line is an old name,
below ``tensorflow``, and the current public name of the same object if TensorFlow exports it under
another name too (``log math.log``).

``keras_public.txt``: the public names of ``tf.keras``, a module a line.

Run it with the TensorFlow that the project is developed on. ``--intersect``, with another
TensorFlow, keeps of the public names of Keras those that it has too.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

TARGET = Path(__file__).parent.parent / "compat" / "pedl2det_names"

#: Packages below ``tf.compat.v1`` that hold no TensorFlow API of their own.
_FOREIGN = ("compat", "test.mock", "app.flags")


def main() -> None:
    """Write the files."""
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    import tensorflow as tf

    public = TARGET / "keras_public.txt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = public_keras(tf)
        if "--intersect" in sys.argv:
            known = dict(read(public))
            names = {path: names[path] & kept for path, kept in known.items() if path in names}
        else:
            lines = "".join(f"{line}\n" for line in compat_v1(tf))
            (TARGET / "compat_v1.txt").write_text(lines, encoding="utf-8")
    lines = "".join(f"{' '.join([path or '.', *sorted(names[path])])}\n" for path in sorted(names))
    public.write_text(lines, encoding="utf-8")


def read(path: Path) -> Iterator[tuple[str, set[str]]]:
    """The modules of ``keras_public.txt`` and their names."""
    for line in path.read_text(encoding="utf-8").splitlines():
        module, *names = line.split()
        yield module.removeprefix("."), set(names)


def compat_v1(tf: Any) -> list[str]:
    """The lines of ``compat_v1.txt``, sorted."""
    missing = [(path, value) for path, value in _walk(tf.compat.v1, "") if _get(tf, path) is None]
    return sorted(
        f"{path} {current_name(tf, value)}".rstrip()
        for path, value in missing
        if not path.startswith(_FOREIGN)
    )


def public_keras(tf: Any) -> dict[str, set[str]]:
    """The public names of ``tf.keras`` by module, below ``keras``."""
    names: dict[str, set[str]] = {}
    modules = [("", tf.keras)]
    for path, module in modules:
        for name in dir(module):
            value = None if name.startswith("_") else getattr(module, name, None)
            if value is None or name == "estimator":
                continue
            names.setdefault(path, set()).add(name)
            if isinstance(value, ModuleType):
                modules.append((f"{path}.{name}".lstrip("."), value))
    return names


def current_name(tf: Any, value: Any) -> str:
    """The name under which ``tf`` exports an object of ``tf.compat.v1``, or an empty string."""
    from tensorflow.python.util import tf_decorator

    _, value = tf_decorator.unwrap(value)
    for name in vars(value).get("_tf_api_names", ()) if hasattr(value, "__dict__") else ():
        exported = _get(tf, name)
        if exported is not None and tf_decorator.unwrap(exported)[1] is value:
            return str(name)
    return ""


def _walk(holder: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name in dir(holder):
        value = None if name.startswith("_") else getattr(holder, name, None)
        below = f"{path}.{name}".lstrip(".")
        if value is None or (isinstance(value, ModuleType) and not _is_api(value)):
            continue
        yield below, value
        if isinstance(value, ModuleType) and not below.startswith(_FOREIGN):
            yield from _walk(value, below)


def _is_api(module: ModuleType) -> bool:
    """Whether a module belongs to the public API, rather than being imported by it."""
    name = module.__name__
    return ".v1" in name or "._v1" in name or name == "tensorflow.python.platform.flags"


def _get(holder: Any, path: str) -> Any:
    for name in path.split("."):
        holder = getattr(holder, name, None)
    return holder


if __name__ == "__main__":
    main()
