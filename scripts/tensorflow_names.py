"""Write the lists of names of ``pedl2det_names`` that TensorFlow itself can tell.

``compat_v1.txt``: the names that ``tf.compat.v1`` has and ``tf`` has not. Each line is an old name,
below ``tensorflow``, and the current public name of the same object if TensorFlow exports it under
another name too (``log math.log``).

``changed_v1.txt``: the names that both have, for something that takes other arguments in ``tf``.
Behind each are its parameters in ``tf``, with ``*`` behind those whose places mean the same in
``tf.compat.v1``, and what has another name (``filter>filters``) or none; nothing if random numbers
differ.

``keras_public.txt``: the public names of ``tf.keras``, a module a line.

Run it with the TensorFlow that the project is developed on. ``--intersect``, with another
TensorFlow, keeps of the public names of Keras those that it has too.
"""

from __future__ import annotations

import inspect
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
#: Those with rows of their own, or with nothing that a trial calls.
_OTHERS = ("distribute", "estimator", "keras", "lite", "test")


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
            for name, found in (("compat_v1", compat_v1(tf)), ("changed_v1", changed_v1(tf))):
                text = "".join(f"{line}\n" for line in found)
                (TARGET / f"{name}.txt").write_text(text, encoding="utf-8")
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


def changed_v1(tf: Any) -> list[str]:
    """The lines of ``changed_v1.txt``, sorted."""
    from tensorflow.tools.compatibility.tf_upgrade_v2 import TFAPIChangeSpec

    renames = TFAPIChangeSpec().function_keyword_renames
    both = [(path, value, _get(tf, path)) for path, value in _walk(tf.compat.v1, "")]
    lines = [
        f"{path} {' '.join(now)}".rstrip()
        for path, value, today in both
        if not path.startswith((*_FOREIGN, *_OTHERS))
        and (now := parameters_today(value, today, renames.get(f"tf.{path}", {}))) is not None
    ]
    return sorted(lines)


def parameters_today(old: Any, new: Any, renames: dict[str, str]) -> list[str] | None:
    """The parameters of a function of today; None if it takes the arguments of the old one.

    The place of one that was renamed means the same, and that of the first.

    Args:
        old: the function of ``tf.compat.v1``.
        new: that of ``tf``.
        renames: the new names of parameters, as TensorFlow's own upgrade knows them.
    """
    if new is None or new is old or not (callable(old) and callable(new)):
        return None
    before, after = _parameters(old), _parameters(new)
    is_open = any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in (*before, *after))
    named, today = [one.name for one in before], [one.name for one in after]
    if is_open or named == today[: len(named)]:
        return None
    if "seed" in named:
        return []
    by_place = 0
    for one, other in zip(named, today, strict=False):
        if by_place and other not in (one, renames.get(one)):
            break
        by_place += 1
    renamed = [f"{name}>{new or ''}" for name, new in renames.items() if not new or new in today]
    return [*today[:by_place], "*", *today[by_place:], *renamed]


def _parameters(function: Any) -> list[inspect.Parameter]:
    try:
        return [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        return []


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
