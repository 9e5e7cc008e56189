"""From a trial's directory to its class, without leaving anything behind.

The directory is first on ``sys.path`` and is the working directory while the trial runs, as
it was in the old harness: siblings are imported with absolute names (``from data import ...``)
and paths may be relative. Afterwards its modules are forgotten, so that two trials with modules
of the same name can be loaded one after the other.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import re
import shlex
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from pedl2det_runtime.errors import InvalidHP, Pedl2DetError, TrialCodeError, TrialLoadError
from pedl2det_runtime.trial import TFKerasTrial, Trial

_PACKAGE = "pedl2det_trial"


@contextmanager
def at_home(directory: Path) -> Iterator[None]:
    """Make ``directory`` the trial's home; forget its modules afterwards.

    Modules of the same names that somebody had imported from elsewhere are there again then.
    """
    before = Path.cwd()
    hidden = _hide_namesakes(directory)
    known = set(sys.modules)
    home = str(directory)
    sys.path.insert(0, home)
    importlib.invalidate_caches()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)
        sys.path.remove(home)
        for name in set(sys.modules) - known:
            if _is_within(sys.modules[name], directory):
                del sys.modules[name]
        sys.modules.update(hidden)


@contextmanager
def users_code(directory: Path, doing: str) -> Iterator[None]:
    """Turn what the trial's own code raises into one line that says where.

    Raises:
        TrialCodeError: with the file and line of the trial that raised.
    """
    try:
        yield
    except (TrialCodeError, KeyboardInterrupt):
        raise
    except Pedl2DetError as error:
        # Ours has its own words; where the trial's code led to it, that place is told too.
        place = _place(error, directory)
        if place is None or str(error).startswith(place.rpartition(":")[0]):
            raise
        raise TrialCodeError(f"{place}: {_named(error)}{error}") from error
    except BaseException as error:
        place = _place(error, directory) or str(directory)
        raise TrialCodeError(f"{place}: {doing}: {_said(error)}") from error


def load_trial(directory: Path, entrypoint: Any) -> type[TFKerasTrial]:
    """The trial in ``directory``; to be called :func:`at_home`.

    Args:
        directory: a package whose ``__init__`` exposes the trial, unless there is an entrypoint.
        entrypoint: ``module:Class``; a command that launches such a trial; or None for the only
            trial of the package.

    Raises:
        TrialLoadError: there is none, or more than one.
        TrialCodeError: importing it failed.
    """
    entrypoint = _trial_of(entrypoint)
    if entrypoint is not None:
        module_name, _, class_name = entrypoint.partition(":")
        with users_code(directory, f"import {module_name or 'the package'}"):
            module = importlib.import_module(module_name) if module_name else _package(directory)
        found = getattr(module, class_name, None)
        if not (inspect.isclass(found) and issubclass(found, Trial)):
            raise TrialLoadError(
                f"entrypoint {entrypoint}: expected a trial class, got {type(found).__name__}"
                if found is not None
                else f"entrypoint {entrypoint}: {module_name} has no {class_name}"
            )
        return found.as_context_trial(module)
    with users_code(directory, "import the package"):
        module = _package(directory)
    trials = {
        value
        for value in vars(module).values()
        if inspect.isclass(value)
        and issubclass(value, Trial)
        and _is_within(sys.modules.get(value.__module__), directory)
    }
    if len(trials) != 1:
        names = ", ".join(sorted(trial.__name__ for trial in trials)) or "none"
        raise TrialLoadError(
            f"{directory / '__init__.py'}: expected exactly one trial class, found {names}: "
            + ("name one with entrypoint in the config" if trials else "import it there")
        )
    return trials.pop().as_context_trial(module)


def _trial_of(entrypoint: Any) -> str | None:
    """``module:Class`` of an entrypoint.

    Later releases of Determined take a command, as text or as a list: ``python3 -m
    determined.launch.horovod --autohorovod --trial model_def:T``. Our own launcher takes its place.
    """
    if isinstance(entrypoint, dict):
        raise TrialLoadError("entrypoint: script: a script is not served yet, name a trial class")
    words = shlex.split(entrypoint) if isinstance(entrypoint, str) else entrypoint
    if not words or (len(words) == 1 and isinstance(entrypoint, str)):
        return entrypoint or None
    trials = [word for word in map(str, words) if re.fullmatch(r"[\w.]+:\w+", word)]
    if not trials or not any(word.startswith("determined.") for word in map(str, words)):
        raise TrialLoadError(
            f"entrypoint: {entrypoint!r}: expected module:Class, or a command of determined.launch "
            "with --trial module:Class"
        )
    return trials[-1]


def _package(directory: Path) -> ModuleType:
    init = directory / "__init__.py"
    if not init.exists():
        raise TrialLoadError(
            f"{directory}: expected a package with __init__.py, or an entrypoint in the config"
        )
    spec = importlib.util.spec_from_file_location(
        _PACKAGE, init, submodule_search_locations=[str(directory)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[_PACKAGE] = module
    spec.loader.exec_module(module)
    return module


def _hide_namesakes(directory: Path) -> dict[str, ModuleType]:
    names = {path.stem for path in directory.glob("*.py")} | {
        path.parent.name for path in directory.glob("*/__init__.py")
    }
    installed = (Path(sys.prefix), Path(sys.base_prefix))
    namesakes = [
        name
        for name, module in sys.modules.items()
        if name.partition(".")[0] in names and not any(_is_within(module, at) for at in installed)
    ]
    return {name: sys.modules.pop(name) for name in namesakes}


def _is_within(module: Any, directory: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and directory in Path(file).parents


def _place(error: BaseException, directory: Path) -> str | None:
    """``file:line`` of the last frame within the trial; None where the trial has no part in it."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if directory in Path(frame.filename).parents]
    return f"{own[-1].filename}:{own[-1].lineno}" if own else None


def _named(error: Pedl2DetError) -> str:
    """The name of an error that the trial raised itself."""
    return "InvalidHP: " if isinstance(error, InvalidHP) else ""


def _said(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}".rstrip(": ")
