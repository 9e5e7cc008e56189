"""Carry over a trial that rules cannot rewrite completely: its methods stay unchanged.

Its new base class, from ``legacy_keras``, runs on a context and calls these methods as the old
harness did: with the hyperparameters or, for Determined 0.12, without. The model, the loaders and
the behaviour of callbacks are determined at run time. ``migrate`` uses this form where the rules
would leave something for a person to do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.metric_names import RENAMED, keras_trials, note_on_names, renamed_since_tf1
from pedl2det.analysis.models import compiles
from pedl2det.analysis.trial import DETERMINED_TRIALS, PEDL_TRIALS, SCRIPT_TRIAL, Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import AddMember, ConfigNeed, Fix, Remark, rewrite

_BESIDE = "{} is a Determined trial, but shares files with PEDL trials, which need an old Keras"
_APART = "move it to its own directory, and migrate both directories"
_NO_DATA = "no make_data_loaders in this project, so the trial has no data"
_DEFINE = "define make_data_loaders(experiment_config, hparams) beside the trial"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Replace the base classes, and record where the data functions of the harness are."""
    for node in trial.modules.reads:
        dotted = trial.modules.meaning(node)
        if dotted in PEDL_TRIALS:
            name = dotted.rpartition(".")[2].replace("TFKerasTrial", "PedlTrial")
            yield rewrite(node, f"legacy_keras.{name}")
        elif dotted in DETERMINED_TRIALS and trial.generation is Generation.EARLY:
            yield rewrite(node, "legacy_keras.EarlyTrial")
    for root in trial.roots:
        is_keras_trial = root in keras_trials(trial)
        notes = ((Kind.NOTE, note_on_names(trial, root)),) if is_keras_trial else ()
        yield Fix(root, notes=notes, config=_needs(trial))
        bases = {trial.base_name(base) for base in root.bases}
        if root in trial.context_based_roots:
            yield Remark(root, _BESIDE.format(root.name), _APART, Kind.DIFFERENT)
        if bases & PEDL_TRIALS and SCRIPT_TRIAL not in bases:
            yield from _record_functions(trial, root)


def _record_functions(trial: Trial, root: ast.ClassDef) -> Iterable[Fix | Remark]:
    """Add attributes that locate ``make_data_loaders`` and ``download_data``."""
    loaders = _place(trial, "make_data_loaders", trial.loaders_place)
    if loaders is None:
        yield Remark(root, _NO_DATA, _DEFINE)
        return
    code = f'data_loaders_function = "{loaders}"\n'
    download = _place(trial, "download_data", trial.download_place)
    if download is not None:
        code += f'download_data_function = "{download}"\n'
    yield Fix(root, (AddMember(root, code, first=True),))


def _place(trial: Trial, name: str, dotted: str | None) -> str | None:
    """A function as ``module:name``: where it is defined, or where the package exposes it."""
    home, local = trial.modules.split(dotted or "")
    if home is not None:
        return f"{trial.modules.name_of(home)}:{local}"
    beside = [trial.modules.name_of(trial.modules.home(root)) for root in trial.roots]
    for module in ("__init__", *beside):
        source = trial.modules.by_name.get(module)
        if source is not None and source.names.module_bindings(name):
            return f"{module}:{name}"
    return None


def _needs(trial: Trial) -> tuple[ConfigNeed, ...]:
    """The config changes that the trial needs: metric names, and the module to import first."""
    calls = [compiled.call for compiled in compiles(trial)]
    needs = [need for call in calls for need in renamed_since_tf1(trial, call)]
    needs += [RENAMED for _ in keras_trials(trial)]
    init = trial.modules.by_name.get("__init__")
    if trial.generation is Generation.PEDL and init is not None:
        imports = [node for node in init.tree.body if [*trial.modules.imported(init, node)]]
        needs += [ConfigNeed("init_first", True)] if len(imports) > 1 else []
    return tuple(dict.fromkeys(needs))


EXAMPLE = """\
--- model_def.py
- from pedl.frameworks.keras import TFKerasTrial
+ import legacy_keras


- class Trial(TFKerasTrial):
+ legacy_keras.use_old_keras()
+
+
+ class Trial(legacy_keras.PedlTrial):
+     data_loaders_function = "__init__:make_data_loaders"
+
      def build_model(self, hparams):
          return build(hparams)
! carried over unchanged: no make_data_loaders in this project
"""
