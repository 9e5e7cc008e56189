"""Call the runtime from a command: import it, serve the names that a trial uses, show errors."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from pedl2det.analysis import membership, old_keras
from pedl2det.analysis.config import Config
from pedl2det.analysis.membership import uses_legacy
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.project import Reader
from pedl2det.analysis.tree import YAML, bytes_or_none, files_below
from pedl2det.analysis.trial import Trial
from pedl2det.errors import Pedl2DetError
from pedl2det.support import MODULE
from pedl2det.visible import say
from pedl2det_names import Age

_OBJECT = re.compile(r"(?<![\w.])([\w.]*):[\w.]+")


def runtime() -> ModuleType:
    """Import the runtime, which needs the extra ``run``; call this before any work is done.

    Raises:
        Pedl2DetError: something that training needs is not installed.
    """
    try:
        from pedl2det_runtime.backends import keras_versions
        from pedl2det_runtime.errors import WrongKerasError
        from pedl2det_runtime.training import run
    except ModuleNotFoundError as error:
        raise Pedl2DetError(
            f"training needs {error.name}, which is not installed: pip install 'pedl2det[run]'"
        ) from None
    try:
        keras_versions.choose_keras_2()
    except WrongKerasError as error:
        raise Pedl2DetError(str(error)) from None
    return run


@contextmanager
def old_names(options: Any, *, as_written: bool = False) -> Iterator[None]:
    """Serve the old API and old names of TensorFlow and Keras while an old trial is trained."""
    from pedl2det_runtime.backends import keras_versions
    from pedl2det_runtime.training.run import readable_config

    names = OldNames()
    if as_written:  # without old names, and without old arguments of optimizers
        keras_versions.serve_no_old_arguments()
    else:
        names = old_names_of(options.directory, readable_config(options))
    if names == OldNames():
        yield
        return
    keras_versions.choose_keras_2()
    keras_versions.load_tensorflow()
    with keras_versions.restored_afterwards():
        from pedl import idioms

        idioms.activate(names.age, standalone=names.is_standalone)
        import pedl.frameworks.keras  # noqa: F401 - what old trials import

        try:
            yield
        finally:
            idioms.deactivate()


def fail(error: Any, with_stack: bool) -> NoReturn:
    """Show the error; on a rank, report it to the launcher, which shows the first rank's."""
    from pedl2det_runtime.distributed.horovodrun_output import Failure
    from pedl2det_runtime.distributed.ranks import is_rank
    from pedl2det_runtime.errors import TrialCodeError

    cause = error.__cause__ if isinstance(error, TrialCodeError) else None
    if is_rank():
        details = "".join(traceback.format_exception(cause)) if cause else ""
        Failure(type(error).__name__, str(error), details).tell()
        sys.exit(2)
    if with_stack:
        say("".join(traceback.format_exception(cause or error)).rstrip(), err=True)
    elif isinstance(error, TrialCodeError):
        raise Pedl2DetError(f"{error} (--traceback shows the whole stack)") from None
    raise Pedl2DetError(str(error)) from None


@dataclass(frozen=True)
class OldNames:
    """The old names that a trial uses."""

    age: Age = Age.CURRENT  # the TensorFlow that it was written for
    is_standalone: bool = False  # whether its layers are called ``dense_1``, ``dense_2`` and so on


def old_names_of(path: Path, config: Any) -> OldNames:
    """Return the old names that a trial uses: what its config says, and what its files import.

    Files that nothing imports (the rest of an old trial, a notebook's helper) do not count. The
    images in all configs below count, so that each config trains the same code. The path is the
    trial's directory or its only file; the config is None if it cannot be read.
    """
    home = path if path.is_dir() else path.parent
    reader = Reader()
    files = membership.reached([*_entry_files(path, home, config)], home, reader)
    sources = {name: reader.source_or_none(file) for name, file in files.items()}
    read = {name: source for name, source in sources.items() if source is not None}
    # Only PEDL had scripts.
    is_script = isinstance(getattr(config, "entrypoint", None), dict)
    is_in_steps = config is not None and config.is_legacy
    is_before = is_script or is_in_steps or any(map(uses_legacy, read.values()))
    # What `migrate` has written says itself what it needs.
    texts = "\n".join(source.text for source in read.values())
    if not is_before and (MODULE in texts or "determined" not in texts):
        return OldNames()
    yamls = [file for file in files_below([home]) if file.suffix in YAML]
    below = [file for file in yamls if b"image" in (bytes_or_none(file) or b"")]  # parse no others
    values = [
        (file, made.value())
        for file in below
        if (made := reader.config_or_none(file)) and not _names_other(file, made, home)
    ]
    configs = [(file, value) for file, value in values if isinstance(value, dict)]
    configs += [(home, config.raw)] if config is not None else []
    trial = Trial(home, Modules(read), configs, counts_in_steps=is_before)
    age = old_keras.age(trial)
    if is_before and (is_script or age is Age.CURRENT):
        age = Age.TENSORFLOW_1
    return OldNames(age, age is Age.TENSORFLOW_1 and old_keras.has_standalone_layers(trial))


def _names_other(file: Path, config: Config, home: Path) -> bool:
    """Whether a config below a trial's directory belongs to another trial, in that directory."""
    top = re.split("[.:]", config.trial)[0]
    return file.parent != home and bool(top) and membership.module(file.parent, top) is not None


def _entry_files(path: Path, home: Path, config: Any) -> Iterator[Path]:
    """The files of the modules that the config names; else of the package, or the one file."""
    named = [config.entrypoint, *(config.entrypoints or {}).values()] if config else []
    if named and isinstance(named[0], dict):
        yield home / str(named[0].get("script"))
        return
    modules = [module for text in named for module in _OBJECT.findall(str(text or ""))]
    if not modules:
        yield path if path != home else home / "__init__.py"
    for module in modules:
        parts = module.split(".")
        dotted = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
        files = (membership.module(home, name) if name else home / "__init__.py" for name in dotted)
        yield from filter(None, files)
