"""``import determined``, served by pedl2det_runtime where no Determined is installed."""

from determined import errors

__all__ = ["errors"]
