"""Run a trial with stand-ins: does a variant call the same as its example, in the same order?

It takes milliseconds and needs no TensorFlow. `variants.comparison` trains instead.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import importlib
import importlib.abc
import importlib.util
import io
import itertools
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import yaml

from variants.project import Project, code_paths, config_path, module_name, read_example
from variants.stand_ins import (
    PACKAGES,
    Instance,
    ModuleStandIn,
    Recorder,
    StandIn,
    TrialStandIn,
    is_method,
)

_HOME = "/trial"
_PACKAGE = "package_of_trial"
_WITH_HPARAMS = ("session_config", "build_model", "keras_callbacks")
_WITHOUT = (
    *("optimizer", "loss", "losses", "batch_size", "training_metrics", "validation_metrics"),
    *("build_training_data_loader", "build_validation_data_loader"),
)


def rehearse(project: Project) -> list[str]:
    """Load a trial and call all that the runtime would call; return what was recorded."""
    recorder = Recorder()
    config = yaml.safe_load(project[config_path(project)])
    hparams = {name: _number(value) for name, value in config["hyperparameters"].items()}
    known = {"pedl": _pedl(config, hparams)}
    with _importing(project, recorder, known), contextlib.redirect_stdout(io.StringIO()):
        _drive(project, recorder, config, hparams)
        for instance in recorder.instances:
            _read(recorder, instance)
        for name, function in sorted(recorder.functions.items()):
            arguments = (StandIn(recorder, "y_true"), StandIn(recorder, "y_pred"))
            recorder.record(f"result of {name}", recorder.text(function(*arguments)))
    return recorder.events


@functools.cache
def rehearse_example(name: str) -> list[str]:
    """Rehearse an example as it is."""
    return rehearse(read_example(name))


def difference(project: Project, example: str) -> str:
    """Return the first call in which a project differs from an example; empty where none does."""
    expected = rehearse_example(example)
    try:
        actual = rehearse(project)
    except Exception as error:  # whatever the variant raises
        return f"{type(error).__name__}: {error}"
    for one, other in itertools.zip_longest(expected, actual, fillvalue="nothing"):
        if one != other:
            return f"expected {one}, got {other}"
    return ""


def _drive(
    project: Project, recorder: Recorder, config: dict[str, Any], hparams: dict[str, Any]
) -> None:
    entrypoint = config.get("entrypoint")
    if isinstance(entrypoint, dict):
        importlib.import_module("__main__ of trial")
        return
    named = config.get("entrypoints", {"trial_class": entrypoint} if entrypoint else {})
    package = importlib.import_module(_PACKAGE) if "__init__.py" in project else None
    trial = _object(named["trial_class"]) if "trial_class" in named else _only_trial(package)
    is_legacy = trial_path(trial).startswith("pedl.")
    if is_legacy:
        loaders = _legacy_loaders(named, package, config, hparams)
        recorder.record("loaders", recorder.text(loaders))
        made = trial(copy.deepcopy(hparams))
    else:
        made = trial(_context(recorder, config, hparams))
    for method in (*_WITHOUT, *_WITH_HPARAMS):
        if not is_method(made, method):
            continue
        arguments = [copy.deepcopy(hparams)] if is_legacy and method in _WITH_HPARAMS else []
        value = getattr(made, method)(*arguments)
        recorder.record(f"result of {method}", recorder.text(value))


def _legacy_loaders(
    named: dict[str, str],
    package: ModuleType | None,
    config: dict[str, Any],
    hparams: dict[str, Any],
) -> Any:
    functions = []
    for key, name in (
        ("download_data_function", "download_data"),
        ("data_loaders_function", "make_data_loaders"),
    ):
        found = _object(named[key]) if key in named else getattr(package, name, None)
        functions.append(found)
    download, make = functions
    if download is not None:
        download(copy.deepcopy(config), copy.deepcopy(hparams))
    return make(copy.deepcopy(config), copy.deepcopy(hparams))


def _read(recorder: Recorder, value: Instance) -> None:
    """Use a loader or a model of the trial as training would."""
    if is_method(value, "__getitem__"):
        recorder.record("batches", str(len(value)))  # type: ignore[arg-type]
        recorder.record("a batch", recorder.text(value[1]))  # type: ignore[index]
    for step in ("train_step", "test_step"):
        if is_method(value, step):
            data = (StandIn(recorder, "real"), StandIn(recorder, "labels"))
            recorder.record(f"result of {step}", recorder.text(getattr(value, step)(data)))


def trial_path(trial: type) -> str:
    """Return the name of the API class that a trial extends."""
    return str(getattr(trial, "_path", ""))


def _only_trial(package: ModuleType | None) -> type:
    """Return the trial class in a package that no other one there extends."""
    found = {
        one
        for one in vars(package).values()
        if isinstance(one, type) and issubclass(one, TrialStandIn) and one.__name__ != "Base"
    }
    (trial,) = found
    return trial


def _object(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def _number(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _pedl(config: dict[str, Any], hparams: dict[str, Any]) -> dict[str, Any]:
    return {
        "get_hyperparameter": lambda name: hparams[name],
        "get_experiment_config": lambda: copy.deepcopy(config),
        "get_download_data_dir": lambda: "/download",
        "get_experiment_id": lambda: 1,
    }


class _Context(StandIn):
    """The context, of which what is asked about the config is not recorded."""

    def __init__(self, recorder: Recorder, config: dict[str, Any], hparams: dict[str, Any]) -> None:
        super().__init__(recorder, "context")
        self.get_hparam = lambda name: hparams[name]
        self.get_hparams = lambda: copy.deepcopy(hparams)
        self.get_data_config = lambda: copy.deepcopy(config["data"])
        self.get_per_slot_batch_size = lambda: hparams["global_batch_size"]


def _context(recorder: Recorder, config: dict[str, Any], hparams: dict[str, Any]) -> _Context:
    return _Context(recorder, config, hparams)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the modules of a project from its texts, and stand-ins."""

    def __init__(self, project: Project, recorder: Recorder, known: dict[str, Any]) -> None:
        self._recorder, self._known = recorder, known
        self._texts = {module_name(path): (path, project[path]) for path in code_paths(project)}
        if "__init__.py" in project:
            self._texts[_PACKAGE] = ("__init__.py", project["__init__.py"])
        script = yaml.safe_load(project[config_path(project)]).get("entrypoint")
        if isinstance(script, dict):
            self._texts["__main__ of trial"] = (script["script"], project[script["script"]])

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        is_known = fullname in self._texts or fullname.split(".")[0] in PACKAGES
        return importlib.util.spec_from_loader(fullname, self) if is_known else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        if spec.name in self._texts:
            return None
        return ModuleStandIn(self._recorder, spec.name, self._known.get(spec.name, {}))

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ not in self._texts:
            return
        path, text = self._texts[module.__name__]
        module.__file__ = f"{_HOME}/{path}"
        if module.__name__ == "__main__ of trial":
            module.__name__ = "__main__"
        exec(compile(text, module.__file__, "exec", dont_inherit=True), vars(module))


@contextlib.contextmanager
def _importing(project: Project, recorder: Recorder, known: dict[str, Any]) -> Iterator[None]:
    """Import a project and stand-ins; forget both afterwards, and restore what they hide."""
    finder = _Finder(project, recorder, known)
    names = set(map(module_name, code_paths(project)))
    hidden = {
        name: module
        for name, module in sys.modules.items()
        if name in names or name.split(".")[0] in PACKAGES
    }
    for name in hidden:
        del sys.modules[name]
    before = set(sys.modules)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in set(sys.modules) - before:
            del sys.modules[name]
        sys.modules.update(hidden)
