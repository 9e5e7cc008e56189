"""``import determined``, served by pedl2det_runtime where no Determined is installed."""

from determined import core, errors
from pedl2det_runtime.errors import InvalidHP
from pedl2det_runtime.trial_context import TrialContext

__all__ = ["InvalidHP", "TrialContext", "core", "errors"]
