"""Call the runtime from a command: import it, serve old names, show its errors."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NoReturn

from pedl2det.commands.generation import old_names_of
from pedl2det.errors import Pedl2DetError
from pedl2det.visible import say
from pedl2det_names import Age


def runtime() -> ModuleType:
    """Import the runtime, which needs the extra ``run``; call this before any work is done.

    Raises:
        Pedl2DetError: something that training needs is not installed.
    """
    try:
        from pedl2det_runtime.backends import keras_versions
        from pedl2det_runtime.errors import WrongKerasError
        from pedl2det_runtime.trainer import run
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
def old_names(options: Any) -> Iterator[None]:
    """The old API and the old names of TensorFlow and Keras, while an old trial is trained."""
    from pedl2det_runtime.backends import keras_versions
    from pedl2det_runtime.trainer.run import readable_config

    names = old_names_of(options.directory, readable_config(options))
    if names.age is Age.CURRENT:
        yield
        return
    keras_versions.choose_keras_2()
    keras_versions.load_tensorflow()
    with keras_versions.as_before():
        from pedl import idioms

        idioms.activate(names.age, names_from_one=names.from_one)
        import pedl.frameworks.keras  # noqa: F401 - what old trials import

        try:
            yield
        finally:
            idioms.deactivate()


def fail(error: Any, with_stack: bool) -> NoReturn:
    """Tell the error; on a rank to the launcher, who shows that of the first rank to fail."""
    from pedl2det_runtime.distributed.joining import is_rank
    from pedl2det_runtime.errors import TrialCodeError
    from pedl2det_runtime.launch.output import Failure

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
