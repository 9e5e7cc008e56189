"""Names of Determined and PEDL that pedl2det does not serve: a table of reasons, one message.

A stub module ends with a call of :func:`complete`. What it does not serve then ends in one message,
whether it is imported or read as an attribute. The finder serves nothing: it comes last on
``sys.meta_path`` and only words the error of an import that no other finder could serve.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pedl2det_runtime
from pedl2det_runtime.errors import UnservedModuleError, UnservedNameError, UnservedUseError

#: Why something is not served, by the longest dotted prefix.
KERAS_ONLY = "pedl2det trains Keras trials; run this one with Determined 0.38.1 itself"
LAUNCHERS = "start the trial with `pedl2det run DIR --slots N`, which launches its processes"
CLUSTER = "it needs a Determined cluster"
CLIENT = f"{CLUSTER}; results of `pedl2det run` are in --out (metrics.jsonl, checkpoints/<uuid>)"
CONTROLLER = "it is of Determined's controller; start the trial with `pedl2det run DIR`"
EXPERIMENT = (
    "it needs a PEDL cluster: write its config as a YAML file beside the trial, and start it with "
    "`pedl2det run DIR`"
)
CORE = (
    "pedl2det serves of the Core API what DeterminedCallback needs; determined==0.38.1 itself "
    "serves all of it, without a cluster too"
)
INTERNAL = "it is no public name of Determined, or has no counterpart here; remove its use"
#: Names with these reasons can be imported, for annotations and unused branches; each use raises.
IMPORTABLE = (CLIENT, CONTROLLER, EXPERIMENT)
REASONS = {
    "determined": "it is not of the API that pedl2det implements, which docs/determined.md lists",
    "determined.cli": f"{CLUSTER}; use the commands of pedl2det",
    "determined.deploy": f"{CLUSTER}; train with `pedl2det run DIR`",
    "determined.exec": LAUNCHERS,
    "determined.launch": LAUNCHERS,
    "determined.pytorch": KERAS_ONLY,
    "determined.lightning": KERAS_ONLY,
    "determined.transformers": KERAS_ONLY,
    "determined.estimator": KERAS_ONLY,
    "determined.model_hub": KERAS_ONLY,
    "determined.experimental.estimator": KERAS_ONLY,
    "determined.experimental.pytorch": KERAS_ONLY,
    "determined.core": CORE,
    "determined.experimental.core_v2": CORE,
    "determined.experimental": CLIENT,
    "determined.common.experimental": CLIENT,
    "determined_common.experimental": CLIENT,
    "determined.common.api": CLUSTER,
    "determined.common.streams": CLUSTER,
    "determined.keras.TFKerasTrainConfig": CONTROLLER,
    "determined.keras.TFKerasTrialController": CONTROLLER,
    "determined.keras.TensorFlowDatasetAdapter": CONTROLLER,
    "determined.common.detlomond": CLUSTER,
    "determined.horovod": "import horovod.tensorflow.keras yourself",
    "determined.common.storage": CORE,
    **dict.fromkeys(
        (
            *("determined.constants", "determined.gpu", "determined.ipc", "determined.layers"),
            *("determined.load", "determined.workload", "determined.RendezvousInfo"),
            *("determined.ResourcesInfo", "determined.TrialController"),
            "determined.util",
            *("determined.TFKerasTrialContext", "determined.TrialContext", "determined.EnvContext"),
            *("determined.DistributedContext", "determined.DummyDistributedContext"),
            *("determined.common", "determined.tensorboard", "determined_common"),
        ),
        INTERNAL,
    ),
    **dict.fromkeys(("pedl.frameworks.pytorch", "pedl.frameworks.tensorflow"), KERAS_ONLY),
    "pedl.Experiment": EXPERIMENT,
    "pedl": "PEDL had no such public name, or it has no counterpart; docs/semantics.md lists all",
}


def message(dotted: str) -> str:
    """Return the error message for a name that is not served."""
    version = pedl2det_runtime.__version__
    return f"{dotted} is not supported by pedl2det {version}: {_reason_for(dotted)}"


def _reason_for(dotted: str) -> str:
    while dotted not in REASONS:
        dotted = dotted.rpartition(".")[0] or "determined"
    return REASONS[dotted]


def complete(module: str, lazily: Mapping[str, str] | None = None) -> None:
    """Complete a stub module: what it lacks is refused by name.

    Args:
        module: the ``__name__`` of the module.
        lazily: modules or objects to import on first access, because they import TensorFlow: the
            full name of a module, or ``module:object``, by their name here.
    """
    namespace = vars(sys.modules[module])

    def __getattr__(name: str) -> Any:  # noqa: N807
        if lazily and name in lazily:
            home, _, attribute = lazily[name].partition(":")
            loaded = importlib.import_module(home)
            return getattr(loaded, attribute) if attribute else loaded
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        dotted = f"{module}.{name}"
        if name.startswith("_") or _reason_for(dotted) not in IMPORTABLE:
            raise UnservedNameError(message(dotted))
        placeholder = _Placeholder(name, (), {"__module__": module, "__doc__": message(dotted)})
        return namespace.setdefault(name, placeholder)

    namespace["__getattr__"] = __getattr__
    # As of a package: `from determined.errors import name` then asks the finders for the name.
    namespace.setdefault("__path__", [])
    namespace[_MARK] = True
    if not any(isinstance(finder, _LastFinder) for finder in sys.meta_path):
        sys.meta_path.append(_LastFinder())


_MARK = "__pedl2det__"


class _LastFinder(MetaPathFinder):
    """Word the error of an import below a stub module that no other finder serves."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Raise for an import below a stub module; return None for all others.

        ``importlib.util.find_spec``, which asks whether a module exists, gets None too.

        Raises:
            UnservedModuleError: ``fullname`` is below a stub module.
        """
        parent = sys.modules.get(fullname.rpartition(".")[0])
        if type(parent) is not ModuleType or _MARK not in vars(parent):
            return None
        asking = sys._getframe(2)  # the caller of importlib's search
        if asking.f_globals.get("__name__") == "importlib.util":
            return None
        raise UnservedModuleError(message(fullname))


class RefusesInternals:
    """A class of Determined: what only Determined itself has in its objects is refused by name."""

    _module = "determined"  # the module of the class in Determined

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            kind = type(self).__name__
            if name.startswith("__"):
                raise AttributeError(f"{kind!r} object has no attribute {name!r}")
            dotted = f"{self._module}.{kind}.{name}"
            raise UnservedNameError(message(dotted), name=name, obj=self)


class _Placeholder(type):
    """The type of a placeholder: it can be imported and annotated; its use raises."""

    def __call__(cls, *_: Any, **__: Any) -> Any:
        raise UnservedUseError(_message(cls))

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnservedNameError(_message(cls, f".{name}"))


def _message(cls: type, member: str = "") -> str:
    """Return the message for a placeholder, or for a class that derives from one."""
    base = next(base for base in reversed(cls.__mro__) if isinstance(base, _Placeholder))
    text = message(f"{base.__module__}.{base.__qualname__}{member}")
    return text if base is cls else f"class {cls.__name__}: {text}"


def is_placeholder(value: object) -> bool:
    """Return whether a value is a placeholder whose use raises."""
    return isinstance(value, _Placeholder)
