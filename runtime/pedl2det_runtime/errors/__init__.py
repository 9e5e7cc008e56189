"""Errors that a user can cause: the subclasses of :class:`Pedl2DetError`.

Those named ``...Exception``, and ``CheckpointNotFound``, have the names of ``determined.errors``.
In Determined, ``InvalidExperimentException`` derives from ``BaseException``, so that ``except
Exception`` in a trial does not catch it; here it derives from ``Exception``. Where Determined
raises a ``ValueError``, ``RuntimeError`` or ``AssertionError``, the error derives from that class
as well.
"""

from __future__ import annotations

import signal


class Pedl2DetError(Exception):
    """Base class of errors that a user can cause.

    The message states what is wrong, where, and how to correct it.
    """


class ConfigError(Pedl2DetError, ValueError):
    """The experiment config is invalid."""


class TrialLoadError(Pedl2DetError):
    """The trial's directory does not contain exactly one usable trial."""


class NoTrialError(Pedl2DetError):
    """A getter that needs a running trial was called outside a run."""


class WrongKerasError(Pedl2DetError, ImportError):
    """TensorFlow does not provide Keras 2 in this process."""


class UnservedModuleError(Pedl2DetError, ModuleNotFoundError):
    """An imported module of Determined or PEDL is not served by pedl2det."""


class UnservedNameError(Pedl2DetError, AttributeError):
    """A name of Determined or PEDL is not served by pedl2det."""


class UnservedUseError(Pedl2DetError, RuntimeError):
    """A name of Determined that can only be imported was used."""


class DistributedError(Pedl2DetError, RuntimeError):
    """The processes of a run cannot communicate, or one of them has ended."""


class CheckpointError(Pedl2DetError):
    """A checkpoint cannot be written, read or resumed from."""


class DamagedCheckpointError(CheckpointError):
    """A file of a checkpoint is missing, damaged or unsafe; the message names it."""


class TrialCodeError(Pedl2DetError):
    """The trial's code raised an exception, which is the ``__cause__`` of this one."""


#: How a user selects graph mode.
SELECT_GRAPH_MODE = (
    "for graph mode call tf.compat.v1.disable_eager_execution() at the top of the trial's code"
)


class GraphModeNeededError(Pedl2DetError):
    """The trial's code uses something that works in graph mode only.

    Args:
        reason: what it uses, and what to write instead if there is anything.
    """

    def __init__(self, reason: str) -> None:
        remedy = f"; {SELECT_GRAPH_MODE}"
        self.reason = reason.removesuffix(remedy)  # unpickling passes the whole message
        super().__init__(self.reason + remedy)


class Interrupted(KeyboardInterrupt):
    """A signal ended the run. Not an error, and not caught by ``except Exception``.

    Args:
        number: the number of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.number = number

    @property
    def exit_code(self) -> int:
        """The exit code of the process: 143 for SIGTERM, 130 for Ctrl-C."""
        return 128 + self.number


class StrayStopError(Pedl2DetError):
    """The trial's code raised ``StopIteration`` or ``OutOfRangeError``.

    Args:
        msg: the message for the user.
        origin: the original exception. Keras clears ``__cause__`` of exceptions from callbacks.
    """

    def __init__(self, msg: str, origin: BaseException) -> None:
        super().__init__(msg)
        self.origin = origin


class InvalidHP(Pedl2DetError):  # noqa: N818 - the documented name
    """Raise this in a trial to reject its hyperparameters (``determined.InvalidHP``).

    Args:
        msg: the reason, shown to the user.

    Raises:
        CheckFailedError: ``msg`` is not a string.
    """

    def __init__(self, msg: str = "the trial rejected its hyperparameters") -> None:
        if not isinstance(msg, str):
            raise CheckFailedError(f"InvalidHP: expected a message, got {msg!r}")
        super().__init__(msg)


class CheckFailedError(Pedl2DetError, AssertionError):
    """A documented condition of the API is violated."""


class RankLostError(Pedl2DetError):
    """Another process of this run has ended."""


class RankError(Pedl2DetError):
    """A run on several processes failed; the message is that of the first failed process."""


class RanksDifferError(Pedl2DetError):
    """The model differs between the processes of a run."""


class MetricError(Pedl2DetError, RuntimeError):
    """The searcher's metric is missing from a validation, or is not a scalar."""


class InvalidExperimentException(Pedl2DetError):  # noqa: N818 - the documented name
    """The trial violates the contract of the context-based API."""


class InvalidDataTypeException(InvalidExperimentException):
    """A data loader returned an unsupported type.

    Args:
        data_type: the type, or its name.
        message: the supported types.
    """

    def __init__(self, data_type: object, message: str = "") -> None:
        super().__init__(f"Invalid data type ({data_type}): {message}")


class InvalidConfigurationException(InvalidExperimentException):
    """The experiment config does not fit the trial."""


class InvalidModelException(InvalidExperimentException):
    """The model does not fit the trial."""


class CheckpointNotFound(CheckpointError):  # noqa: N818 - the documented name
    """A checkpoint is not in the storage."""


class InvalidCheckpointException(CheckpointError):  # noqa: N818
    """A checkpoint was written by an incompatible version."""

    def __init__(self, message: str = "this checkpoint cannot be loaded") -> None:
        super().__init__(message)
