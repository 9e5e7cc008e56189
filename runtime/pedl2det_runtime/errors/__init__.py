"""Every error that a user can cause, as one tree.

``Pedl2DetError``
  ``ConfigError``                        the experiment config is wrong
  ``TrialLoadError``                     no trial, or more than one, or no loaders
  ``NoTrialError``                       a getter was called outside a run
  ``WrongKerasError``                    TensorFlow is missing, or comes with Keras 3
  ``DistributedError``                   the processes of a run cannot work together
  ``CheckpointError``                    a checkpoint is missing, damaged or of another run
  ``TrialCodeError``                     the trial's own code raised
  ``StrayStopError``                     it raised what Keras takes for the end of the data
  ``InvalidHP``                          the trial refuses its hyperparameters
  ``CheckFailedError``                   an argument breaks a documented condition
  ``MetricError``                        a validation does not report the searcher's metric
  ``InvalidExperimentException``         the trial breaks the API's contract
    ``InvalidDataTypeException``         a loader returned something that cannot be trained on
    ``InvalidConfigurationException``
    ``InvalidModelException``

The last four carry the names of ``determined.errors``. There they derive from
``BaseException`` and slip through a trial's own ``except Exception``; here they do not. Where
Determined raises a ``ValueError``, ``RuntimeError`` or ``AssertionError``, ours is one too.
"""

from __future__ import annotations


class Pedl2DetError(Exception):
    """A user's mistake: its message says what was wrong, where, and what to do."""


class ConfigError(Pedl2DetError, ValueError):
    """The experiment config cannot be used."""


class TrialLoadError(Pedl2DetError):
    """The trial's directory does not hold exactly one trial that can be trained."""


class NoTrialError(Pedl2DetError):
    """Something of a run was asked for, and no trial is running."""


class WrongKerasError(Pedl2DetError, ImportError):
    """TensorFlow cannot serve Keras 2 in this process."""


class DistributedError(Pedl2DetError, RuntimeError):
    """The processes that train a trial cannot talk to each other, or one of them is gone."""


class CheckpointError(Pedl2DetError):
    """A checkpoint cannot be written, found or continued from."""


class TrialCodeError(Pedl2DetError):
    """The trial's own code raised; ``__cause__`` is what it raised."""


class StrayStopError(Pedl2DetError):
    """``StopIteration`` or ``OutOfRangeError`` left the trial's code.

    Args:
        msg: what is wrong with that.
        origin: which it was; Keras takes the ``__cause__`` away from what passes through it.
    """

    def __init__(self, msg: str, origin: BaseException) -> None:
        super().__init__(msg)
        self.origin = origin


class InvalidHP(Pedl2DetError):  # noqa: N818 - the documented name
    """Raised by a trial whose hyperparameters cannot be trained (``determined.InvalidHP``).

    Args:
        msg: why; shown to the user.

    Raises:
        CheckFailedError: ``msg`` is not text.
    """

    def __init__(self, msg: str = "the trial refuses its hyperparameters") -> None:
        if not isinstance(msg, str):
            raise CheckFailedError(f"InvalidHP: expected a message, got {msg!r}")
        super().__init__(msg)


class CheckFailedError(Pedl2DetError, AssertionError):
    """A condition that the API documents does not hold."""


class RankLostError(Pedl2DetError):
    """Another process of this training is gone."""


class RankError(Pedl2DetError):
    """A training on several processes failed; the message is that of the first to fail."""


class RanksDifferError(Pedl2DetError):
    """The processes that train one trial no longer train the same model."""


class MetricError(Pedl2DetError, RuntimeError):
    """The searcher's metric is missing in a validation, or is not one number."""


class InvalidExperimentException(Pedl2DetError):  # noqa: N818 - the documented name
    """The trial breaks the contract of the context-based API."""


class InvalidDataTypeException(InvalidExperimentException):
    """A data loader returned a type that cannot be trained on."""

    def __init__(self, data_type: object, message: str = "") -> None:
        super().__init__(f"Invalid data type ({data_type}): {message}")


class InvalidConfigurationException(InvalidExperimentException):
    """The experiment config does not fit the trial."""


class InvalidModelException(InvalidExperimentException):
    """The model does not fit the trial."""
