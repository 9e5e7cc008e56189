"""``determined.horovod.hvd``: the module of Horovod for a framework that the caller names."""

from __future__ import annotations

import importlib
from typing import Any

from pedl2det_runtime.errors import CheckFailedError, DistributedError


class ChosenHorovod:
    """A module of Horovod, after :meth:`require_horovod_type`."""

    _module: Any = None
    _chosen: tuple[str, str] | None = None

    def require_horovod_type(self, horovod_type: str, reason: str) -> None:
        """Choose the framework.

        Args:
            horovod_type: such as ``tensorflow.keras``.
            reason: why, for messages.

        Raises:
            CheckFailedError: another framework was chosen before.
        """
        if self._chosen and self._chosen[0] != horovod_type:
            raise CheckFailedError(
                f"{reason} needs horovod.{horovod_type}, but {self._chosen[1]} chose "
                f"horovod.{self._chosen[0]}"
            )
        self._chosen = horovod_type, reason

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the module."""
        if name.startswith("__"):
            raise AttributeError(name)
        if self._chosen is None:
            raise CheckFailedError(
                f"hvd.{name}: call hvd.require_horovod_type('tensorflow.keras', reason) before"
            )
        if self._module is None:
            try:
                self._module = importlib.import_module(f"horovod.{self._chosen[0]}")
            except ImportError as error:
                raise DistributedError(
                    f"hvd.{name}: Horovod is not installed for {self._chosen[0]} ({error}): "
                    "`pedl2det doctor --install` builds it"
                ) from error
        return getattr(self._module, name)
