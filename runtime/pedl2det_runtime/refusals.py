"""Names of Determined that pedl2det does not serve: one line says why, and what to use.

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
CORE = (
    "pedl2det serves of the Core API what DeterminedCallback needs; determined==0.38.1 itself "
    "serves all of it, without a cluster too"
)
INTERNAL = "it is internal to Determined and has no counterpart; remove its use"
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
    "determined.common.api": CLIENT,
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
    "pedl.Experiment": "it needs a PEDL cluster: write its config as a YAML file beside the trial, "
    "and start it with `pedl2det run DIR`",
    "pedl": "PEDL had no such public name, or it has no counterpart; docs/semantics.md lists all",
}

_CLIENT = (
    *("Checkpoint", "Determined", "Experiment", "ExperimentReference", "Model", "ModelOrderBy"),
    *("ModelSortBy", "ModelVersion", "OrderBy", "Project", "TrainingMetrics", "Trial"),
    *("TrialMetrics", "TrialOrderBy", "TrialReference", "TrialSortBy", "ValidationMetrics"),
)
#: Names that can be imported, for annotations and unused branches; each use raises.
IMPORTABLE = {
    "determined.common.experimental": _CLIENT,
    "determined_common.experimental": _CLIENT,
    "determined.experimental": _CLIENT,
    "pedl": ("Experiment",),
    "determined.keras": (
        "TFKerasTrainConfig",
        "TFKerasTrialController",
        "TensorFlowDatasetAdapter",
    ),
    "determined.experimental.client": (
        *_CLIENT,
        *("CheckpointOrderBy", "CheckpointSortBy", "CheckpointState", "DownloadMode"),
        *("ExperimentOrderBy", "ExperimentSortBy", "ExperimentState", "Oauth2ScimClient"),
        *("ResourcePool", "TrialState", "User", "Workspace", "add_oauth_client"),
        *("create_experiment", "create_model", "create_user", "create_workspace"),
        *("delete_workspace", "get_checkpoint", "get_experiment", "get_model", "get_model_by_id"),
        *("get_model_labels", "get_models", "get_session_username", "get_trial"),
        *("get_user_by_id", "get_user_by_name", "get_workspace", "iter_trials_metrics"),
        *("list_experiments", "list_models", "list_oauth_clients", "list_users"),
        *("list_workspaces", "login", "logout", "remove_oauth_client", "stream_trials_metrics"),
        *("stream_trials_training_metrics", "stream_trials_validation_metrics", "whoami"),
    ),
}


def message(dotted: str) -> str:
    """Return what the user is told about a name that is not served."""
    prefix = dotted
    while prefix not in REASONS:
        prefix = prefix.rpartition(".")[0] or "determined"
    return (
        f"{dotted} is not supported by pedl2det {pedl2det_runtime.__version__}: {REASONS[prefix]}"
    )


def complete(module: str, lazily: Mapping[str, str] | None = None) -> None:
    """Complete a stub module: what it lacks is refused by name.

    Args:
        module: the ``__name__`` of the module.
        lazily: modules or objects to import on first access, because they import TensorFlow: the
            full name of a module, or ``module:object``, by their name here.
    """
    namespace = vars(sys.modules[module])
    for name in IMPORTABLE.get(module, ()):
        namespace.setdefault(name, _placeholder(f"{module}.{name}"))

    def __getattr__(name: str) -> Any:  # noqa: N807
        if lazily and name in lazily:
            home, _, found = lazily[name].partition(":")
            loaded = importlib.import_module(home)
            return getattr(loaded, found) if found else loaded
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        raise UnservedNameError(message(f"{module}.{name}"))

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

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            kind = type(self).__name__
            if name in _INTERNAL or (name.startswith("_") and not name.startswith("__")):
                raise UnservedNameError(message(f"determined.{kind}.{name}"))
            raise AttributeError(f"{kind!r} object has no attribute {name!r}")


#: Attributes of Determined's contexts without an underscore that its documentation does not name.
_INTERNAL = ("dataset_initialized", "compile_args", "is_pre_execution")


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
    base = next(one for one in reversed(cls.__mro__) if isinstance(one, _Placeholder))
    text = message(f"{base.__module__}.{base.__qualname__}{member}")
    return text if base is cls else f"class {cls.__name__}: {text}"


def _placeholder(dotted: str) -> type:
    module, _, name = dotted.rpartition(".")
    return _Placeholder(name, (), {"__module__": module, "__doc__": message(dotted)})


def is_placeholder(value: object) -> bool:
    """Return whether a value is a placeholder whose use raises."""
    return isinstance(value, _Placeholder)
