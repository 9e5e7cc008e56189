"""Import a trial's class from its directory.

While the trial runs, its directory is first on ``sys.path`` and is the working directory: modules
beside it are imported by absolute names (``from data import ...``), and paths may be relative.
Afterwards its modules are removed from ``sys.modules``, so that trials with modules of the same
name can be loaded one after the other.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import operator
import os
import re
import shlex
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from pedl2det_runtime.api.trial import TFKerasTrial, Trial
from pedl2det_runtime.api.trial_info import current
from pedl2det_runtime.config.cluster_environment import config_here, named_by
from pedl2det_runtime.config.unknown_keys import unknown_hparam
from pedl2det_runtime.errors import (
    DamagedCheckpointError,
    InvalidHP,
    NoTrialError,
    Pedl2DetError,
    TrialCodeError,
    TrialLoadError,
    aged_libraries,
    trial_code,
)

_PACKAGE = "pedl2det_trial"


@contextmanager
def at_home(directory: Path) -> Iterator[None]:
    """Make ``directory`` the working directory and first on ``sys.path``, then undo it.

    Modules of the same names, imported from elsewhere before, are restored as well. The trial sees
    no options of the command line, which flags of its own would not know.
    """
    before, arguments = Path.cwd(), sys.argv
    sys.argv = arguments[:1]
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
        sys.argv = arguments
        sys.path.remove(home)
        for name in set(sys.modules) - known:
            if _is_within(sys.modules[name], directory):
                del sys.modules[name]
        sys.modules.update(hidden)


@contextmanager
def users_code(directory: Path, doing: str) -> Iterator[None]:
    """Turn any exception of the trial's code into one line with its place.

    ``doing`` is what the trial's code was called for, such as "import model_def".

    Raises:
        TrialCodeError: the message starts with the file and line of the trial that raised.
    """
    try:
        yield
    except (TrialCodeError, DamagedCheckpointError, KeyboardInterrupt):
        raise
    except Pedl2DetError as error:
        # Our own message, with the place of the trial's code that led to it.
        if str(error).startswith(f"{directory}{os.sep}"):
            raise
        if place := trial_code.location_in_trial(error, directory):
            name = "InvalidHP: " if isinstance(error, InvalidHP) else ""
            raise TrialCodeError(f"{place}: {name}{error}") from error
        if place := trial_code.definition_in_trial(error, directory):
            error.args = (f"{place}: {error}",)
        raise
    except BaseException as error:
        place = trial_code.place_in_trial(error, directory)
        line = f"{place}: {doing}: {trial_code.one_line(error)}"
        more = (*_unknown_hparam(error), *_missing(error, directory), *aged_libraries.hints(error))
        raise TrialCodeError("; ".join((line, *more))) from error


def load_trial(
    directory: Path,
    entrypoint: Any,
    entrypoints: dict[str, str] | None = None,
    file: str | None = None,
) -> type[TFKerasTrial]:
    """Import the trial class of a directory; call it inside :func:`at_home`.

    Args:
        directory: a package whose ``__init__`` exposes the trial, unless there is an entrypoint.
        entrypoint: ``module:Class``; a command that launches such a trial; or None for the only
            trial of the package.
        entrypoints: ``module:object`` for ``trial_class``, ``data_loaders_function`` and
            ``download_data_function`` (PEDL 0.11).
        file: the file that holds trial and loaders, instead of a package.

    Raises:
        TrialLoadError: the directory has no trial class, or more than one.
        TrialCodeError: importing it failed.
    """
    if entrypoints:
        return _from_entrypoints(directory, entrypoints)
    entrypoint = _trial_of(entrypoint)
    if entrypoint is not None:
        module, found = _imported(directory, entrypoint)
        return _require_trial(found, entrypoint).as_context_trial(module)
    with users_code(directory, f"import {file or 'the package'}"):
        module = _package(directory, file)
    trials = {
        value
        for value in vars(module).values()
        if inspect.isclass(value)
        and issubclass(value, Trial)
        and _is_within(sys.modules.get(value.__module__), directory)
    }
    trials = {trial for trial in trials if not inspect.isabstract(trial)} or trials
    if len(trials) != 1:
        names = ", ".join(sorted(trial.__name__ for trial in trials)) or "none"
        raise TrialLoadError(
            f"{directory / (file or '__init__.py')}: expected exactly one trial class, found "
            f"{names}: "
            + ("name one with entrypoint in the config" if trials else "import it there")
        )
    return trials.pop().as_context_trial(module)


def _require_trial(found: Any, place: str) -> type[Trial]:
    if not (inspect.isclass(found) and issubclass(found, Trial)):
        raise TrialLoadError(
            f"entrypoint {place}: expected a trial class, got {type(found).__name__}"
        )
    return found


def _imported(directory: Path, place: str) -> tuple[ModuleType, Any]:
    """Import ``module:object``; an empty module name means the package."""
    module_name, colon, name = place.partition(":")
    if not (colon and name):
        raise TrialLoadError(f"entrypoint {place}: expected module:object")
    with users_code(directory, f"import {module_name or 'the package'}"):
        module = importlib.import_module(module_name) if module_name else _package(directory)
    try:
        return module, operator.attrgetter(name)(module)  # one class may stand in another
    except AttributeError:
        raise TrialLoadError(
            f"entrypoint {place}: {module_name or 'the package'} has no {name}"
        ) from None


def _from_entrypoints(directory: Path, entrypoints: dict[str, str]) -> type[TFKerasTrial]:
    known = {
        "data_loaders_function": "make_data_loaders",
        "download_data_function": "download_data",
    }
    if "trial_class" not in entrypoints or entrypoints.keys() - known.keys() - {"trial_class"}:
        raise TrialLoadError(
            f"entrypoints: expected trial_class, and maybe data_loaders_function and "
            f"download_data_function, got {', '.join(entrypoints) or 'nothing'}"
        )
    found = {key: _imported(directory, place) for key, place in entrypoints.items()}
    home, trial = found["trial_class"]
    package = ModuleType(_PACKAGE)
    package.__file__ = home.__file__
    for key, name in known.items():
        if key in found:
            setattr(package, name, found[key][1])
        elif "data_loaders_function" not in found and hasattr(home, name):  # beside the trial
            setattr(package, name, getattr(home, name))
    return _require_trial(trial, entrypoints["trial_class"]).as_context_trial(package)


def _trial_of(entrypoint: Any) -> str | None:
    """Return ``module:Class`` of an entrypoint.

    Later releases of Determined take a command, as text or as a list: ``python3 -m
    determined.launch.horovod --autohorovod --trial model_def:T``. pedl2det launches ranks itself.
    """
    if isinstance(entrypoint, dict):
        raise TrialLoadError("entrypoint: a script holds no trial class; name module:Class")
    words = shlex.split(entrypoint) if isinstance(entrypoint, str) else entrypoint
    if not words or (len(words) == 1 and isinstance(entrypoint, str)):
        return entrypoint or None
    trials = [word for word in map(str, words) if re.fullmatch(r"[\w.]+:[\w.]+", word)]
    if not trials or not any(word.startswith("determined.") for word in map(str, words)):
        raise TrialLoadError(
            f"entrypoint: {entrypoint!r}: expected module:Class, or a command of determined.launch "
            "with --trial module:Class"
        )
    return trials[-1]


def _package(directory: Path, file: str | None = None) -> ModuleType:
    """Import the module that exposes the trial: the package of the directory, or one file."""
    path = directory / (file or "__init__.py")
    if not path.exists():
        raise TrialLoadError(
            f"{directory}: expected a package with __init__.py, or an entrypoint in the config"
        )
    if file:
        return importlib.import_module(path.stem)
    spec = importlib.util.spec_from_file_location(
        _PACKAGE, path, submodule_search_locations=[str(directory)]
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


def _unknown_hparam(error: BaseException) -> Iterator[str]:
    """Explain a ``KeyError`` of a line such as ``hparams["lr"]``."""
    if not (isinstance(error, KeyError) and error.args and isinstance(error.args[0], str)):
        return
    line = traceback.extract_tb(error.__traceback__)[-1].line or ""
    if not re.search(r"(?i)h_?p(aram)?s?\b|hyper", line):
        return
    with suppress(NoTrialError):
        hparams = current().hparams
        if error.args[0] not in hparams:
            yield unknown_hparam(error.args[0], hparams)


def _missing(error: BaseException, directory: Path) -> Iterator[str]:
    """Name the config key that a missing file comes from, or what lists all missing packages."""
    if isinstance(error, ModuleNotFoundError):
        yield f"all that is missing: pedl2det doctor {shlex.quote(str(directory))}"
    if not isinstance(error, FileNotFoundError) or not isinstance(error.filename, str):
        return
    with suppress(NoTrialError):
        config = current().config
        if named := [*named_by(error.filename, config_here(config.raw, config.places))]:
            yield f"{config.location(*max(named)[1])} names it"
